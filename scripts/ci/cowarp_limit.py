# SPDX-License-Identifier: Apache-2.0
"""A plug-in of pytest: a test that takes more than $COWARP_TEST_SECONDS fails. One that does not come back from a library ends the run a little later."""
import faulthandler
import os
import signal

import pytest

SECONDS = int(os.environ["COWARP_TEST_SECONDS"])


class NotDone(Exception):
    pass


def stop(*_):
    raise NotDone(f"not done after {SECONDS} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    faulthandler.dump_traceback_later(2 * SECONDS + 10, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
