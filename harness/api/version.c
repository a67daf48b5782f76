/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: which version this is, and what it has been built from. */
#include "api.h"
#include "provenance.h"

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
