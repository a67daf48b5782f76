# SPDX-License-Identifier: Apache-2.0
"""What went wrong, as exceptions."""
from . import _library as c


class Error(Exception):
    """One line: what, where, what to do. Below it, after a deadlock, who waits for whom.

    status: the number of enum cowarp_status. report: the lines about who waits for whom, "" when there are none."""
    status = None

    def __init__(self, text, status=None, report=""):
        super().__init__(text + ("\n" + report.rstrip("\n") if report else ""))
        self.status = status if status is not None else type(self).status
        self.report = report


class RequestError(Error):
    """The request is wrong; nothing has changed."""
    status = c.EINVAL


class MemoryLimitError(Error):
    """Out of memory, host or device."""
    status = c.ENOMEM


class FileError(Error):
    """A file could not be read or written."""
    status = c.EIO


class UnsupportedError(Error):
    """Well-formed, but not supported."""
    status = c.EUNSUP


class DeadlockError(Error):
    """No progress; report says who waits for whom."""
    status = c.EDEADLOCK


class FaultError(Error):
    """The kernel did something illegal."""
    status = c.EFAULT


class LimitError(Error):
    """A limit was reached (max_cycles), or on_progress stopped the run."""
    status = c.ELIMIT


class MismatchError(Error):
    """Lockstep: C model and RTL differ, or the ports of a unit's Verilog do."""
    status = c.EMISMATCH


class OracleError(Error):
    """An oracle, or a property of the Verilog, found a violation."""
    status = c.ECHECK


KINDS = {kind.status: kind for kind in (RequestError, MemoryLimitError, FileError, UnsupportedError, DeadlockError, FaultError, LimitError,
                                        MismatchError, OracleError)}


def made(status, text, report=""):
    return KINDS.get(status, Error)(text, status, report)
