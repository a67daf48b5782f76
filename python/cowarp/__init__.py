# SPDX-License-Identifier: Apache-2.0
"""cowarp: a cycle-level GPU in Python, over the shared library libcowarp (docs/python.md).

    import cowarp, numpy
    with cowarp.Gpu(preset="getm") as gpu:
        module = gpu.load("saxpy.ptx")
        x, y = numpy.ones(1000, numpy.float32), numpy.zeros(1000, numpy.float32)
        gpu.run(module.kernels["saxpy"], 4, 256, 2.0, cowarp.In(x), y, len(x))
        print(y[0], gpu.stats["cycles"])
"""
from __future__ import annotations

import ctypes as _ctypes
import os as _os
import typing as _typing

from . import _library
from ._arguments import In, InOut, Local, Numba, Out, Param
from ._calls import Calls as _Calls
from ._cuda import compile_cuda
from ._errors import (DeadlockError, Error, FaultError, FileError, LimitError, MemoryLimitError, MismatchError, OracleError, RequestError,
                      UnsupportedError)
from ._errors import made as _made
from ._frame import frame
from ._gpu import DeviceArray, Gpu, Kernel, Module
from ._gpu import counters_of as _counters_of
from ._gpu import settings_of as _settings_of
from ._run import command, run
from ._unit import Unit

__all__ = ["DeadlockError", "DeviceArray", "Error", "FaultError", "FileError", "Gpu", "In", "InOut", "Kernel", "LimitError", "Local",
           "MemoryLimitError", "MismatchError", "Module", "Numba", "OracleError", "Out", "Param", "RequestError", "Unit", "UnsupportedError", "command",
           "compile_cuda", "config", "controls", "counters", "frame", "library", "mechanisms", "persistencies", "play", "presets", "run",
           "systems", "units"]

__version__ = _library.lib.cowarp_version().decode()
library = _library.path  # of libcowarp.so, as it was found


def systems() -> dict:
    """Transactional systems: a dict from names to a line about each. Beside these there is "none"."""
    return _library.listed(_library.lib.cowarp_system_at)


def persistencies() -> dict:
    """Persistency models, as systems()."""
    return _library.listed(_library.lib.cowarp_persistency_at)


def mechanisms() -> dict:
    """Mechanisms, as systems()."""
    return _library.listed(_library.lib.cowarp_mechanism_at)


def controls() -> dict:
    """Control-flow policies, as systems()."""
    return _library.listed(_library.lib.cowarp_control_at)


def presets() -> dict:
    """Machines, as systems()."""
    return _library.listed(_library.lib.cowarp_preset_at)


def units() -> dict:
    """Hardware units that Gpu's units may name, as systems()."""
    return _library.listed(_library.lib.cowarp_unit_at)


def counters() -> dict:
    """A dict from each counter's name to its unit and its definition."""
    with Gpu() as gpu:
        return {name: (unit, what) for name, _, unit, what in _counters_of(gpu._handle())}


def config(preset: str = "getm", config: dict | None = None, **keys) -> dict:
    """The configuration that these make, without a GPU: a dict from names to values. A choice is its word."""
    handle, options, key, found = _library.CONFIG(), _library.Options(), _library.Key(), {}
    _library.lib.cowarp_options_init_size(_ctypes.byref(options), _ctypes.sizeof(options))
    options.preset, options.settings = preset.encode(), _library.words(_settings_of(config, keys))
    status = _library.lib.cowarp_config_create(_ctypes.byref(handle), _ctypes.byref(options))
    try:
        if status != _library.OK:
            raise _made(status, _library.lib.cowarp_config_error(handle).decode(errors="replace"))
        while _library.lib.cowarp_config_at(handle, len(found), _ctypes.byref(key)):
            found[key.name.decode()] = key.text.decode() if key.words else key.value
    finally:
        _library.lib.cowarp_config_destroy(handle)
    return found


def play(stimulus: str | _os.PathLike, wave: str | _os.PathLike, backend: str = "lockstep",
         on_message: _typing.Callable[[str], object] | None = None) -> dict:
    """Drives one hardware unit with a stimulus file, without a GPU, into an FST file (docs/waves.md). Returns a dict: unit, cycles,
    expectations, waits, view."""
    calls, played = _Calls(on_message=on_message), _library.Played()
    with calls.guard():
        request = _library.Play(size=_ctypes.sizeof(_library.Play), stimulus=_os.fsencode(stimulus), wave_file=_os.fsencode(wave),
                                backend=backend.encode(), on_message=calls.message, stop=calls.stop)
        status = _library.lib.cowarp_play_unit(_ctypes.byref(played), _ctypes.byref(request))
        if status != _library.OK and calls.pending is None:
            raise _made(status, played.error.decode(errors="replace"))
    return {"unit": played.unit.decode(), "cycles": played.cycles, "expectations": played.expectations, "waits": played.waits,
            "view": played.view.decode()}
