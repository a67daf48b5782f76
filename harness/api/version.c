/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which version this is, what it has been built from, and where the files are that come with it. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "provenance.h"
#include "rtl/rtl_build.h"
#include "rtl/rtl_place.h"

const char *cowarp_version(void)
{
    return COWARP_VERSION;
}

const char *cowarp_commit(void)
{
    return cowarp__provenance.commit;
}

const char *cowarp_sources(void)
{
    return cowarp__provenance.sources;
}

const char *cowarp_compiler(void)
{
    return cowarp__provenance.compiler;
}

int cowarp_place(char *path, uint64_t bytes, const char *name)
{
    char found[CW_PATH_MAX];
    const bool there = cw_place(found, name);
    if (snprintf(path, bytes, "%s", found) >= (int)(bytes < CW_PATH_MAX ? bytes : CW_PATH_MAX))
        return COWARP_EINVAL;
    return there ? COWARP_OK : COWARP_EIO;
}

int cowarp_cache(char *path, uint64_t bytes)
{
    char found[CW_PATH_MAX];
    struct cw_error err;
    if (cw_rtl_cache_dir(found, NULL, &err) != CW_OK || strlen(found) >= bytes)
        return COWARP_EINVAL;
    memcpy(path, found, strlen(found) + 1);
    return COWARP_OK;
}
