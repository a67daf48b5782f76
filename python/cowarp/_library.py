# SPDX-License-Identifier: Apache-2.0
"""The shared library: where it is, and its structs and functions as ctypes has them. tests/python/structs_test.py compares the structs
with cowarp/cowarp.h."""
import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_uint8, c_uint32, c_uint64, c_void_p

OK, EINVAL, ENOMEM, EIO, EUNSUP, EDEADLOCK, EFAULT, ELIMIT, EMISMATCH, ECHECK = range(0, -10, -1)

PROGRESS = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_uint64)
MESSAGE = CFUNCTYPE(None, c_void_p, c_char_p)
PRINT = CFUNCTYPE(None, c_void_p, POINTER(c_char), c_uint64)
STOP = CFUNCTYPE(c_int, c_void_p)


class Options(ctypes.Structure):
    c_name = "cowarp_options"
    _fields_ = [
        ("size", c_uint32), ("preset", c_char_p), ("config_file", c_char_p), ("settings", POINTER(c_char_p)), ("system", c_char_p),
        ("units", POINTER(c_char_p)), ("seed", c_uint64), ("check_serial", c_int), ("sabotage", c_char_p), ("max_cycles", c_uint64),
        ("wave_file", c_char_p), ("wave_begin", c_uint64), ("wave_end", c_uint64), ("record", c_char_p), ("tick_always", c_int),
        ("reverse_ticks", c_int), ("on_progress", PROGRESS), ("on_message", MESSAGE), ("context", c_void_p),
        ("omit_host_seconds", c_int), ("wave_on", c_char_p), ("wave_keep", c_uint64), ("mechanisms", POINTER(c_char_p)),
        ("control", c_char_p), ("on_print", PRINT), ("record_branches", c_int), ("lcp_profile", c_char_p), ("persistency", c_char_p),
        ("pm_file", c_char_p), ("pm_log", c_int), ("check_persist", c_int), ("count_stalls", c_int), ("record_profile", c_int),
        ("sample_file", c_char_p), ("sample_cycles", c_uint64), ("sample_counters", c_char_p), ("timeline_file", c_char_p),
        ("timeline_begin", c_uint64), ("timeline_end", c_uint64), ("timeline_mbytes", c_uint32), ("per_launch", c_int), ("per_core", c_int),
        ("per_partition", c_int), ("registers", c_uint32), ("resource_usage", c_char_p), ("out_of_bounds", c_char_p),
        ("redzone_bytes", c_uint64), ("functional", c_int), ("timed_begin", c_uint64), ("timed_end", c_uint64),
        ("checks", c_char_p), ("check_lines", c_uint32), ("bins_file", c_char_p), ("renew_cycles", c_uint64),
        ("save_file", c_char_p), ("save_cycle", c_uint64), ("load_file", c_char_p),
        ("pack_messages", c_int), ("debug_socket", c_int), ("estimate", c_double), ("elastic", c_int),
        ("konata_file", c_char_p), ("threads", c_uint32)]


class Param(ctypes.Structure):
    c_name = "cowarp_param"
    _fields_ = [("name", c_char_p), ("offset", c_uint32), ("bytes", c_uint32), ("alignment", c_uint32), ("kind", c_uint32)]


INTEGER, FLOAT, AGGREGATE, SHARED = range(4)  # Param.kind


class Persist(ctypes.Structure):
    c_name = "cowarp_persist"
    _fields_ = [("cycle", c_uint64), ("address", c_uint64), ("bytes", c_uint32), ("mask", POINTER(c_uint32)), ("data", c_void_p)]


class PmStore(ctypes.Structure):
    c_name = "cowarp_pm_store"
    _fields_ = [
        ("address", c_uint64), ("cycle", c_uint64), ("value", c_uint32), ("bytes", c_uint32), ("node", c_uint32), ("launch", c_uint32),
        ("line", c_uint32), ("core", c_uint32), ("warp", c_uint32), ("lane", c_uint32), ("source_line", c_uint32), ("source", c_char_p)]


class PmGraph(ctypes.Structure):
    c_name = "cowarp_pm_graph"
    _fields_ = [
        ("store", POINTER(PmStore)), ("before", POINTER(c_uint32)), ("persists", POINTER(c_uint64)), ("stores", c_uint32),
        ("nodes", c_uint32), ("launches", c_uint32), ("kept", POINTER(c_uint8))]


class PmOrder(ctypes.Structure):
    c_name = "cowarp_pm_order"
    _fields_ = [("line", c_uint32), ("kind", c_char_p), ("device", c_int), ("times", c_uint64), ("source", c_char_p), ("source_line", c_uint32)]


class Bytes(ctypes.Structure):
    c_name = "cowarp_bytes"
    _fields_ = [("data", c_void_p), ("bytes", c_uint64)]


class Value(ctypes.Union):
    _fields_ = [("u32", c_uint32), ("s32", c_int32), ("u64", c_uint64), ("s64", c_int64), ("f32", c_float), ("f64", c_double),
                ("bytes", POINTER(Bytes))]


U32, S32, U64, S64, F32, F64, LOCAL, BYTES = range(8)  # Arg.type


class Arg(ctypes.Structure):
    c_name = "cowarp_arg"
    _fields_ = [("type", c_int), ("value", Value)]


class Launch(ctypes.Structure):
    c_name = "cowarp_launch"
    _fields_ = [("size", c_uint32), ("kernel", c_char_p), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
                ("dynamic_shared_bytes", c_uint32), ("arg_count", c_uint32), ("args", POINTER(Arg)), ("static_warps", c_int),
                ("registers", c_uint32), ("functional", c_int), ("baseline", c_int), ("cooperative", c_int),
                ("stream", c_uint32), ("before", POINTER(c_uint32))]


class Work(ctypes.Structure):
    c_name = "cowarp_work"
    _fields_ = [("size", c_uint32), ("module", c_void_p), ("launch", POINTER(Launch)), ("call", STOP), ("data", c_void_p), ("after", POINTER(c_uint32)),
                ("after_count", c_uint32), ("queue", c_uint32), ("priority", c_int), ("begin", c_double), ("end", c_double)]


class Occupancy(ctypes.Structure):
    c_name = "cowarp_occupancy"
    _fields_ = [("kernel", c_char_p), ("grid_blocks", c_uint64), ("threads", c_uint32), ("warps", c_uint32), ("registers", c_uint32),
                ("live_registers", c_uint32), ("registers_from", c_char_p), ("block_registers", c_uint32),
                ("block_shared_bytes", c_uint32), ("blocks_per_core", c_uint32), ("warps_per_core", c_uint32), ("by_registers", c_uint32),
                ("by_shared", c_uint32), ("by_warps", c_uint32), ("by_blocks", c_uint32), ("by_grid", c_uint32), ("limit", c_char * 64),
                ("launches", c_uint64)]


class AdviceLine(ctypes.Structure):
    c_name = "cowarp_advice_line"
    _fields_ = [("detect", c_char_p), ("serial", c_char_p), ("vector_registers", c_uint32), ("scalar_registers", c_uint32),
                ("shared_bytes", c_uint32), ("groups", c_uint32), ("lacks", c_char_p)]


class Advice(ctypes.Structure):
    c_name = "cowarp_advice"
    _fields_ = [("kernel", c_char_p), ("core_vector_registers", c_uint32), ("core_scalar_registers", c_uint32),
                ("core_shared_bytes", c_uint32), ("words", c_uint32), ("has_read_only", c_int), ("reads_as_wrote", c_int),
                ("has_loop", c_int), ("alone", AdviceLine), ("line", AdviceLine * 16), ("chosen", c_int), ("why", c_char_p)]


class WaveEvent(ctypes.Structure):
    c_name = "cowarp_wave_event"
    _fields_ = [("picoseconds", c_uint64), ("core", c_int), ("warp", c_int), ("core_warps", c_int), ("unit", c_char * 64)]


class Key(ctypes.Structure):
    c_name = "cowarp_key"
    _fields_ = [("name", c_char_p), ("value", c_uint32), ("minimum", c_uint32), ("maximum", c_uint32), ("words", c_char_p),
                ("unit", c_char_p), ("source", c_char_p), ("what", c_char_p), ("text", c_char * 32)]


class Play(ctypes.Structure):
    c_name = "cowarp_play"
    _fields_ = [("size", c_uint32), ("stimulus", c_char_p), ("wave_file", c_char_p), ("backend", c_char_p), ("on_message", MESSAGE),
                ("context", c_void_p), ("stop", STOP)]


class Played(ctypes.Structure):
    c_name = "cowarp_played"
    _fields_ = [("error", c_char * 512), ("unit", c_char * 64), ("view", c_char * 4096), ("cycles", c_uint64),
                ("expectations", c_uint32), ("waits", c_uint32)]


class KernelInfo(ctypes.Structure):
    c_name = "cowarp_kernel_info"
    _fields_ = [("size", c_uint32), ("static_shared_bytes", c_uint32), ("local_bytes", c_uint32), ("live_registers", c_uint32),
                ("max_threads", c_uint32), ("dynamic_shared", c_int), ("constant_bytes", c_uint64), ("refused", c_char_p)]


class Finding(ctypes.Structure):
    c_name = "cowarp_finding"
    _fields_ = [("size", c_uint32), ("check", c_char_p), ("kernel", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("other_line", c_uint32), ("source_file", c_char_p), ("source_line", c_uint32), ("block", c_uint32 * 3),
                ("thread", c_uint32 * 3), ("address", c_uint64), ("bytes", c_uint32), ("count", c_uint64), ("text", c_char_p)]


class Estimate(ctypes.Structure):
    c_name = "cowarp_estimate"
    _fields_ = [("size", c_uint32), ("cycles", c_double), ("half", c_double), ("timed_instructions", c_double), ("untimed_instructions", c_double),
                ("timed_launches", c_uint64), ("partly_timed_launches", c_uint64), ("untimed_launches", c_uint64)]


STRUCTS = [Options, Param, Persist, PmStore, PmGraph, PmOrder, Bytes, Arg, Launch, Work, Occupancy, AdviceLine, Advice, WaveEvent, Key,
           Play, Played, KernelInfo, Finding, Estimate]

GPU, MODULE, CONFIG, UNIT = c_void_p, c_void_p, c_void_p, c_void_p
NAMED = [c_uint32, POINTER(c_char_p), POINTER(c_char_p)]

# name: (result, arguments)
FUNCTIONS = {
    "cowarp_version": (c_char_p, []),
    "cowarp_commit": (c_char_p, []),
    "cowarp_sources": (c_char_p, []),
    "cowarp_compiler": (c_char_p, []),
    "cowarp_options_init_size": (None, [POINTER(Options), c_uint32]),
    "cowarp_create": (c_int, [POINTER(GPU), POINTER(Options)]),
    "cowarp_destroy": (None, [GPU]),
    "cowarp_error": (c_char_p, [GPU]),
    "cowarp_report": (c_char_p, [GPU]),
    "cowarp_load": (c_int, [GPU, POINTER(MODULE), c_char_p, ctypes.c_size_t, c_char_p]),
    "cowarp_load_file": (c_int, [GPU, POINTER(MODULE), c_char_p]),
    "cowarp_kernel_at": (c_int, [MODULE, c_uint32, POINTER(c_char_p)]),
    "cowarp_kernel_param_at": (c_int, [MODULE, c_char_p, c_uint32, POINTER(Param)]),
    "cowarp_alloc": (c_int, [GPU, POINTER(c_uint64), c_uint64]),
    "cowarp_alloc_versioned": (c_int, [GPU, POINTER(c_uint64), c_uint64]),
    "cowarp_free": (c_int, [GPU, c_uint64]),
    "cowarp_write": (c_int, [GPU, c_uint64, c_void_p, c_uint64]),
    "cowarp_read": (c_int, [GPU, c_void_p, c_uint64, c_uint64]),
    "cowarp_symbol_write": (c_int, [GPU, MODULE, c_char_p, c_uint64, c_void_p, c_uint64]),
    "cowarp_symbol_read": (c_int, [GPU, MODULE, c_char_p, c_uint64, c_void_p, c_uint64]),
    "cowarp_symbol": (c_int, [GPU, MODULE, c_char_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "cowarp_pm_alloc": (c_int, [GPU, POINTER(c_uint64), c_char_p, c_uint64]),
    "cowarp_pm_find": (c_int, [GPU, c_char_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "cowarp_pm_free": (c_int, [GPU, c_char_p]),
    "cowarp_pm_at": (c_int, [GPU, c_uint32, POINTER(c_char_p), POINTER(c_uint64), POINTER(c_uint64)]),
    "cowarp_pm_save": (c_int, [GPU, c_char_p]),
    "cowarp_pm_crash": (c_int, [GPU, GPU, c_uint64]),
    "cowarp_persist_count": (c_uint64, [GPU]),
    "cowarp_persist_at": (c_int, [GPU, c_uint64, POINTER(Persist)]),
    "cowarp_pm_graph": (c_int, [GPU, c_uint32, POINTER(PmGraph)]),
    "cowarp_pm_graph_if": (c_int, [GPU, c_int, c_uint32, POINTER(PmGraph)]),
    "cowarp_pm_order_at": (c_int, [GPU, c_uint32, POINTER(PmOrder)]),
    "cowarp_run": (c_int, [GPU, MODULE, POINTER(Launch)]),
    "cowarp_run_together": (c_int, [GPU, POINTER(Work), c_uint32]),
    "cowarp_occupancy": (c_int, [GPU, MODULE, POINTER(Launch), POINTER(Occupancy)]),
    "cowarp_set_heap": (c_int, [GPU, c_uint64]),
    "cowarp_set_child_launches": (c_int, [GPU, c_uint32]),
    "cowarp_finding_at": (c_int, [GPU, c_uint32, POINTER(Finding)]),
    "cowarp_findings": (c_uint64, [GPU, c_char_p]),
    "cowarp_mark_unwritten": (None, [GPU, c_uint64, c_uint64]),
    "cowarp_mark_written": (None, [GPU, c_uint64, c_uint64]),
    "cowarp_occupancy_at": (c_int, [GPU, c_uint32, POINTER(Occupancy)]),
    "cowarp_reset": (c_int, [GPU]),
    "cowarp_advise": (c_int, [GPU, MODULE, c_char_p, c_uint32, c_uint32, POINTER(Advice)]),
    "cowarp_phase": (c_int, [GPU, c_char_p]),
    "cowarp_oracle": (c_char_p, [GPU]),
    "cowarp_persist_oracle": (c_char_p, [GPU]),
    "cowarp_finish": (c_int, [GPU]),
    "cowarp_wave_event": (c_int, [GPU, POINTER(WaveEvent)]),
    "cowarp_cycles": (c_uint64, [GPU]),
    "cowarp_estimated": (c_int, [GPU, POINTER(Estimate)]),
    "cowarp_microseconds": (c_double, [GPU]),
    "cowarp_host_seconds": (c_double, [GPU]),
    "cowarp_counter_at": (c_int, [GPU, c_uint32, POINTER(c_char_p), POINTER(c_uint64), POINTER(c_char_p), POINTER(c_char_p)]),
    "cowarp_unit_at": (c_int, NAMED),
    "cowarp_system_at": (c_int, NAMED),
    "cowarp_persistency_at": (c_int, NAMED),
    "cowarp_mechanism_at": (c_int, NAMED),
    "cowarp_control_at": (c_int, NAMED),
    "cowarp_preset_at": (c_int, NAMED),
    "cowarp_config_create": (c_int, [POINTER(CONFIG), POINTER(Options)]),
    "cowarp_config_destroy": (None, [CONFIG]),
    "cowarp_config_error": (c_char_p, [CONFIG]),
    "cowarp_config_at": (c_int, [CONFIG, c_uint32, POINTER(Key)]),
    "cowarp_write_stats": (c_int, [GPU, c_char_p, c_char_p, c_char_p, c_char_p]),
    "cowarp_write_branches": (c_int, [GPU, c_char_p]),
    "cowarp_write_profile": (c_int, [GPU, c_char_p]),
    "cowarp_play_unit": (c_int, [POINTER(Played), POINTER(Play)]),
    "cowarp_unit_open": (c_int, [POINTER(UNIT), c_char_p, c_char_p, c_char_p, c_uint32]),
    "cowarp_unit_close": (None, [UNIT]),
    "cowarp_unit_port": (c_int, [UNIT, c_uint32, POINTER(c_char_p), POINTER(c_uint32), POINTER(c_int)]),
    "cowarp_unit_set": (c_int, [UNIT, c_uint32, c_uint32, c_uint64]),
    "cowarp_unit_get": (c_uint64, [UNIT, c_uint32, c_uint32]),
    "cowarp_unit_eval": (None, [UNIT]),
    "cowarp_unit_tick": (None, [UNIT]),
    "cowarp_unit_reset": (None, [UNIT]),
}


SONAME = "libcowarp.so.0"


def find():
    """$COWARP_LIBRARY, the one of the build in its source tree, else lib/libcowarp.so.0 in the nearest folder above this package, or the system's."""
    own = os.environ.get("COWARP_LIBRARY")
    if own:
        return own
    here = pathlib.Path(__file__).resolve().parent
    for path in [here.parents[1] / "build/libcowarp.so", *(folder / "lib" / SONAME for folder in here.parents)]:
        if path.is_file():
            return str(path)
    return SONAME


def load():
    path = find()
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cowarp has no library: {error}; install a wheel or the package libcowarp0, build the source tree, or set COWARP_LIBRARY to "
                          f"the path of {SONAME}") from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded, path


lib, path = load()


def words(texts):
    """A NULL-terminated list of strings; None for an empty one."""
    texts = list(texts)
    return (c_char_p * (len(texts) + 1))(*[t.encode() for t in texts], None) if texts else None


def listed(function):
    """Names and lines about each of one of the lists of the library, as a dict."""
    name, what, found, i = c_char_p(), c_char_p(), {}, 0
    while function(i, ctypes.byref(name), ctypes.byref(what)):
        found[name.value.decode()] = what.value.decode()
        i += 1
    return found
