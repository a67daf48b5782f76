# SPDX-License-Identifier: Apache-2.0
"""From Python's values to a kernel's arguments."""
import ctypes
import numbers

import numpy
from numpy.typing import ArrayLike

from . import _library as c
from ._errors import RequestError


class In:
    """An array that is copied to the device before the launch, and not back."""
    reads, writes = True, False

    def __init__(self, array: ArrayLike):
        self.array = numpy.asarray(array)
        if self.array.dtype.hasobject:
            raise TypeError(f"an array of {self.array.dtype} cannot be copied to the device")
        if self.array.nbytes == 0:
            raise ValueError("an array without elements has no device memory")
        if self.writes and not isinstance(array, numpy.ndarray):
            raise TypeError(f"{type(self).__name__} needs a numpy array to copy back to, not {type(array).__name__}")
        if self.writes and not self.array.flags.writeable:
            raise ValueError(f"{type(self).__name__}: the array is read-only; use In")


class Out(In):
    """An array whose device memory begins as zeros and that is copied back after the launch."""
    reads, writes = False, True


class InOut(In):
    """An array that is copied to the device before the launch and back after it."""
    reads, writes = True, True


class Local:
    """That many bytes of shared memory, for a parameter that points to it (OpenCL __local)."""

    def __init__(self, nbytes: int):
        self.nbytes = int(nbytes)


class Numba:
    """An array as Numba's kernels take it: several parameters, two unused addresses, the number of elements, the bytes of one, the data, the
    shape, the strides in bytes. The data is copied as of InOut, or as of In when the array is read-only."""

    def __init__(self, array: ArrayLike):
        if not isinstance(array, numpy.ndarray) or array.ndim == 0 or not array.flags.c_contiguous:
            raise TypeError("Numba needs a numpy array of one or more dimensions whose elements lie one behind the other")
        self.array = array

    def values(self) -> list:
        """What the parameters get, in their order; the data as In or InOut, all else numbers."""
        array = self.array
        return [0, 0, array.size, array.itemsize, wrapped(array), *array.shape, *array.strides]


class Param:
    """A kernel's parameter: name, offset and bytes in the parameter block, alignment, and kind: "integer", "float", "aggregate", "shared"."""
    KINDS = ("integer", "float", "aggregate", "shared")

    def __init__(self, struct):
        self.name = struct.name.decode()
        self.offset, self.bytes, self.alignment = struct.offset, struct.bytes, struct.alignment
        self.kind = self.KINDS[struct.kind]

    def __repr__(self):
        return f"Param({self.name}: {self.kind}, {self.bytes} bytes at {self.offset})"


def wrapped(value):
    """A numpy array as what it means: in and out, or only in when it is read-only."""
    if isinstance(value, numpy.ndarray) and value.ndim > 0:
        return InOut(value) if value.flags.writeable else In(value)
    return value


def expanded(values):
    """One value for each parameter."""
    for value in values:
        if isinstance(value, Numba):
            yield from value.values()
        else:
            yield wrapped(value)


def integer(where, param, value):
    value, bits = int(value), 8 * param.bytes
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise RequestError(f"{where}: {value} does not fit the parameter's {bits} bits")
    wide = c.Value(s64=value) if value < 0 else c.Value(u64=value)
    if param.bytes == 8:
        return c.Arg(c.S64 if value < 0 else c.U64, wide)
    return c.Arg(c.S32, c.Value(s32=value)) if value < 0 else c.Arg(c.U32, c.Value(u32=value))


def real(where, param, value):
    value = float(value)
    if param.bytes == 2:
        return c.Arg(c.U32, c.Value(u32=int(numpy.float16(value).view(numpy.uint16))))
    if param.bytes == 8:
        return c.Arg(c.F64, c.Value(f64=value))
    with numpy.errstate(over="ignore"):
        narrow = float(numpy.float32(value))
    if numpy.isinf(narrow) and not numpy.isinf(value):
        raise RequestError(f"{where}: {value} is too large for a 32-bit float")
    return c.Arg(c.F32, c.Value(f32=narrow))


def aggregate(where, param, value, keep):
    data = bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else value.tobytes()
    if len(data) != param.bytes:
        raise RequestError(f"{where}: the parameter has {param.bytes} bytes, the argument {len(data)}")
    text = ctypes.create_string_buffer(data, len(data))
    struct = c.Bytes(ctypes.cast(text, ctypes.c_void_p), len(data))
    keep += [text, struct]
    return c.Arg(c.BYTES, c.Value(bytes=ctypes.pointer(struct)))


def scalar(where, param, value, keep):
    """A struct cowarp_arg. Objects that it points to go to `keep`."""
    if isinstance(value, Local):
        return c.Arg(c.LOCAL, c.Value(u64=value.nbytes))
    if param.kind == "shared":
        raise TypeError(f"{where}: the parameter points to shared memory; give cowarp.Local(bytes), not {type(value).__name__}")
    if isinstance(value, (bytes, bytearray, memoryview, numpy.void)):
        return aggregate(where, param, value, keep)
    if isinstance(value, numpy.ndarray):  # of no dimension
        value = value[()]
    if param.kind == "aggregate":
        raise TypeError(f"{where}: the parameter is a structure or an array of {param.bytes} bytes; give bytes, not {type(value).__name__}")
    whole = isinstance(value, (numbers.Integral, numpy.integer, bool, numpy.bool_))
    if param.kind == "float" and (whole or isinstance(value, (numbers.Real, numpy.floating))):
        return real(where, param, value)
    if whole:
        return integer(where, param, value)
    what = "a number" if param.kind == "float" else "a whole number"
    raise TypeError(f"{where}: the parameter is {what} of {8 * param.bytes} bits, not {type(value).__name__}")
