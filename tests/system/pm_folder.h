/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of a test's own, below the one in which it runs, for a file of persistent memory: setup and teardown of a cmocka test. The
 * includer defines _POSIX_C_SOURCE for mkdtemp.
 */
#ifndef CW_TESTS_SYSTEM_PM_FOLDER_H
#define CW_TESTS_SYSTEM_PM_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cw_test.h"

static char folder[32], path[64]; /* path: of the file */

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cowarp-pm-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/store.pm", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails when something else was left there: a lock, a temporary file */
}

#endif
