# SPDX-License-Identifier: Apache-2.0
"""A GPU, its modules and kernels, and arrays in its memory."""
from __future__ import annotations

import ctypes
import difflib
import os
import typing

import numpy
from numpy.typing import ArrayLike, DTypeLike

from . import _arguments as arguments
from . import _library as c
from ._calls import Calls
from ._cuda import compile_cuda, plain_name
from ._errors import RequestError, made

# Keyword argument -> member of struct cowarp_options, and how it gets there.
OPTIONS = {
    "preset": ("preset", "text"), "config_file": ("config_file", "path"), "system": ("system", "text"), "seed": ("seed", "number"),
    "check_serial": ("check_serial", "number"), "check_persist": ("check_persist", "flag"), "sabotage": ("sabotage", "text"),
    "max_cycles": ("max_cycles", "number"), "wave": ("wave_file", "path"), "wave_begin": ("wave_begin", "number"),
    "wave_end": ("wave_end", "number"), "wave_on": ("wave_on", "text"), "wave_keep": ("wave_keep", "number"), "record": ("record", "text"),
    "tick_always": ("tick_always", "flag"), "reverse_ticks": ("reverse_ticks", "flag"), "omit_host_seconds": ("omit_host_seconds", "flag"),
    "control": ("control", "text"), "persistency": ("persistency", "text"), "pm_file": ("pm_file", "path"), "pm_log": ("pm_log", "flag"),
    "record_branches": ("record_branches", "flag"), "lcp_profile": ("lcp_profile", "path"), "mechanisms": ("mechanisms", "list"),
    "units": ("units", "pairs"), "count_stalls": ("count_stalls", "flag"), "record_profile": ("record_profile", "flag"),
    "samples": ("sample_file", "path"), "sample_cycles": ("sample_cycles", "number"), "sample_counters": ("sample_counters", "text"),
    "timeline": ("timeline_file", "path"), "timeline_begin": ("timeline_begin", "number"), "timeline_end": ("timeline_end", "number"),
    "timeline_mbytes": ("timeline_mbytes", "number"), "per_launch": ("per_launch", "flag"), "per_core": ("per_core", "flag"),
    "per_partition": ("per_partition", "flag"), "registers": ("registers", "number"), "resource_usage": ("resource_usage", "path"),
    "out_of_bounds": ("out_of_bounds", "text"), "redzone_bytes": ("redzone_bytes", "number"),
    "functional": ("functional", "how"), "timed_begin": ("timed_begin", "number"), "timed_end": ("timed_end", "number"),
    "checks": ("checks", "text"), "check_lines": ("check_lines", "number"), "bins": ("bins_file", "path"),
    "save_file": ("save_file", "path"), "save_cycle": ("save_cycle", "number"), "load_file": ("load_file", "path"),
    "renew_cycles": ("renew_cycles", "number"), "pack_messages": ("pack_messages", "flag"),
    "debug_socket": ("debug_socket", "number"), "estimate": ("estimate", "real"), "elastic": ("elastic", "flag"),
    "konata": ("konata_file", "path"), "threads": ("threads", "number"),
}
OWN = ("config", "on_progress", "on_message", "on_print")


def setting(name, value):
    return f"{name}={int(value) if isinstance(value, (bool, numpy.bool_)) else value}"


def settings_of(config, keywords):
    """"name=value" for each key of config, and for each keyword with __ for the dot."""
    texts = [setting(name, value) for name, value in (config or {}).items()]
    for word, value in keywords.items():
        if "__" not in word:
            near = difflib.get_close_matches(word, [*OPTIONS, *OWN], 1)
            hint = f"did you mean '{near[0]}'?" if near else "a configuration key is written with __ for its dot: core__count=4"
            raise TypeError(f"Gpu has no option '{word}'; {hint}")
        texts.append(setting(word.replace("__", ".", 1), value))
    return texts


HOW = {"steps": 2, "native": 3}  # COWARP_FUNCTIONAL_...


def in_c(word, kind, value):
    """An option's value as its member of struct cowarp_options."""
    if kind == "how":
        if isinstance(value, str) and value not in HOW:
            raise ValueError(f"{word}={value!r}: it is True, False, or one of {', '.join(map(repr, HOW))}")
        return HOW[value] if isinstance(value, str) else int(value)
    if kind in ("number", "real") and isinstance(value, str):
        raise ValueError(f"{word}={value!r}: takes a number" + (", such as 0.01 for one percent" if word == "estimate" else ""))
    if kind == "text":
        return str(value).encode()
    if kind == "path":
        return os.fsencode(value)
    if kind == "flag":
        return int(bool(value))
    if kind == "number":
        if not 0 <= int(value) < 1 << 64:
            raise ValueError(f"{value} is not a number from 0 to 2^64 - 1")
        return int(value)
    if kind == "real":
        return float(value)
    if kind == "pairs":
        value = [f"{name}={backend}" for name, backend in value.items()] if hasattr(value, "items") else value
    return c.words(value)


class Shape(ctypes.c_uint32 * 3):
    """One to three numbers from 1 on."""

    @classmethod
    def of(cls, what, value):
        parts = list(value) if isinstance(value, (tuple, list)) else [value]
        if not 1 <= len(parts) <= 3 or not all(0 < int(part) < 1 << 32 for part in parts):
            raise ValueError(f"{what} {value!r}: one to three numbers from 1 on")
        return cls(*[int(part) for part in parts + [1] * (3 - len(parts))])


class Kernel:
    """A kernel of a module, for Gpu.run."""

    def __init__(self, module, name):
        self.module, self.name, self.params = module, name, []
        struct = c.Param()
        while c.lib.cowarp_kernel_param_at(module.handle, name.encode(), len(self.params), ctypes.byref(struct)):
            self.params.append(arguments.Param(struct))

    def __repr__(self):
        return f"Kernel({self.name}({', '.join(p.name for p in self.params)}))"


class Module:
    """PTX that has been loaded. kernels: a dict from names to Kernel."""

    def __init__(self, gpu, handle, name):
        self.gpu, self.handle, self.name = gpu, handle, name
        found, kernel, i = {}, ctypes.c_char_p(), 0
        while c.lib.cowarp_kernel_at(handle, i, ctypes.byref(kernel)):
            found[kernel.value.decode()] = Kernel(self, kernel.value.decode())
            i += 1
        self.kernels = found

    def write(self, variable: str, array: ArrayLike, offset: int = 0) -> None:
        """Copies an array's bytes to a variable, .global or .const, at an offset in bytes."""
        data = numpy.ascontiguousarray(array)
        self.gpu._check(c.lib.cowarp_symbol_write(self.gpu._handle(), self.handle, variable.encode(), offset, data.ctypes.data, data.nbytes))

    def read(self, variable: str, dtype: DTypeLike, count: int = 1, offset: int = 0) -> numpy.ndarray:
        """`count` values of a variable, from an offset in bytes on, as an array."""
        data = numpy.empty(count, dtype)
        self.gpu._check(c.lib.cowarp_symbol_read(self.gpu._handle(), self.handle, variable.encode(), offset, data.ctypes.data, data.nbytes))
        return data

    def __repr__(self):
        return f"Module({self.name}: {', '.join(self.kernels)})"


class DeviceArray:
    """Device memory with a shape. It lives until free(), or as long as the GPU."""

    def __init__(self, gpu, address, shape, dtype, name=None):
        self.gpu, self.address, self.shape, self.dtype, self.name = gpu, address, tuple(shape), numpy.dtype(dtype), name

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(numpy.prod(self.shape, dtype=object)) * self.dtype.itemsize

    def _live(self):
        if self.address is None:
            raise RequestError("this DeviceArray has been freed")
        return self.address

    def get(self) -> numpy.ndarray:
        """A copy of it as a numpy array."""
        data = numpy.empty(self.shape, self.dtype)
        self.gpu._read(data, self._live())
        return data

    def set(self, array: ArrayLike) -> None:
        """Copies an array of its shape there."""
        data = numpy.ascontiguousarray(array, self.dtype)
        if data.shape != self.shape:
            raise ValueError(f"an array of shape {data.shape} does not fit a DeviceArray of {self.shape}")
        self.gpu._write(self._live(), data)

    def free(self) -> None:
        """Gives the memory back, a region of persistent memory for good. It cannot be used any more."""
        if self.name is not None:
            self.gpu._check(c.lib.cowarp_pm_free(self.gpu._handle(), self.name.encode()))
        else:
            self.gpu._check(c.lib.cowarp_free(self.gpu._handle(), self._live()))
        self.address = None

    def __array__(self, dtype=None, copy=None):  # numpy 2 says whether it wants a copy; it is one always
        if copy is False:
            raise ValueError("a DeviceArray is always copied to the host")
        return self.get() if dtype is None else self.get().astype(dtype)

    def __repr__(self):
        place = "freed" if self.address is None else f"at 0x{self.address:x}"
        return f"DeviceArray({self.shape}, {self.dtype}, {place})"


class Gpu:
    """A simulated GPU.

    config: a dict of configuration keys, {"core.count": 4}. A keyword argument with __ is such a key too: core__count=4.
    units: {"validation_unit": "rtl"}. mechanisms: a list of names. Other options are those of struct cowarp_options (docs/api.md).
    on_progress(cycles, blocks_done, blocks_total) is called while a kernel runs, and stops it when it returns something true.
    on_message(text) gets one-line notices, on_print(text) what kernels print; without it that goes to sys.stdout."""

    def __init__(self, *, config: dict | None = None, on_progress: typing.Callable[[int, int, int], object] | None = None,
                 on_message: typing.Callable[[str], object] | None = None, on_print: typing.Callable[[str], object] | None = None, **options):
        self._gpu, self._failed = None, True
        self._calls = Calls(on_progress, on_message, on_print)
        self._modules = []
        o = c.Options()
        c.lib.cowarp_options_init_size(ctypes.byref(o), ctypes.sizeof(o))
        keys = {word: options.pop(word) for word in list(options) if word not in OPTIONS}
        o.settings = c.words(settings_of(config, keys))
        for word, value in options.items():
            member, kind = OPTIONS[word]
            if value is not None:
                setattr(o, member, in_c(word, kind, value))
                if kind == "number" and getattr(o, member) != int(value):
                    raise ValueError(f"{word}: {value} is too large")
        o.on_progress, o.on_message, o.on_print = self._calls.progress, self._calls.message, self._calls.print
        handle = c.GPU()
        self._found = []
        with self._calls.guard():
            status = c.lib.cowarp_create(ctypes.byref(handle), ctypes.byref(o))
            self._gpu = handle.value
            if status != c.OK and self._calls.pending is None:
                error = made(status, c.lib.cowarp_error(self._gpu).decode(errors="replace"))
                self._destroy()
                raise error
        self.system = o.system.decode()
        self.preset = o.preset.decode()
        self.seed = o.seed
        self._found = self._regions()

    def _handle(self):
        if self._gpu is None:
            raise RequestError("this Gpu has been closed")
        return self._gpu

    def _check(self, status):
        if status == c.OK:
            return
        raise made(status, c.lib.cowarp_error(self._gpu).decode(errors="replace"), c.lib.cowarp_report(self._gpu).decode(errors="replace"))

    # Life ------------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Completes the wave file and the file of persistent memory, and frees the GPU. It can be called again."""
        if self._gpu is None:
            return
        try:
            self._check(c.lib.cowarp_finish(self._gpu))
        finally:
            self._destroy()

    def _destroy(self):
        handle, self._gpu = self._gpu, None
        if handle is not None:
            c.lib.cowarp_destroy(handle)

    def __enter__(self):
        self._handle()
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.close()
        else:
            self._destroy()  # an error in it would hide the first one

    def __del__(self):
        if getattr(self, "_gpu", None) is not None:
            self._destroy()

    def reset(self) -> None:
        """After a run that failed: the GPU can be used again. Memory and modules are kept."""
        self._check(c.lib.cowarp_reset(self._handle()))

    # Memory ----------------------------------------------------------------------------------------------------------

    def _alloc(self, nbytes, versions=False):
        address = ctypes.c_uint64()
        alloc = c.lib.cowarp_alloc_versioned if versions else c.lib.cowarp_alloc
        self._check(alloc(self._handle(), ctypes.byref(address), nbytes))
        return address.value

    def _write(self, address, data):
        self._check(c.lib.cowarp_write(self._handle(), address, data.ctypes.data, data.nbytes))

    def _read(self, data, address):
        self._check(c.lib.cowarp_read(self._handle(), data.ctypes.data, address, data.nbytes))

    def array(self, values: ArrayLike, dtype: DTypeLike = None, *, versions: bool = False) -> DeviceArray:
        """Device memory with a copy of the values; with versions=True in versions, where the system keeps them (sitm-*): for what transactions
        share. Such memory cannot be freed."""
        data = numpy.ascontiguousarray(arguments.In(numpy.asarray(values, dtype)).array).reshape(numpy.shape(values))
        made_one = DeviceArray(self, self._alloc(data.nbytes, versions), data.shape, data.dtype)
        self._write(made_one.address, data)
        return made_one

    def zeros(self, shape: int | tuple, dtype: DTypeLike = numpy.float32, *, versions: bool = False) -> DeviceArray:
        """Device memory of zeros; versions: as of array()."""
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (int(shape),)
        nbytes = int(numpy.prod(shape, dtype=object)) * numpy.dtype(dtype).itemsize
        return DeviceArray(self, self._alloc(nbytes, versions), shape, dtype)

    def _regions(self):
        """Names of the regions of persistent memory."""
        name, address, nbytes, names = ctypes.c_char_p(), ctypes.c_uint64(), ctypes.c_uint64(), []
        while c.lib.cowarp_pm_at(self._handle(), len(names), ctypes.byref(name), ctypes.byref(address), ctypes.byref(nbytes)):
            names.append(name.value.decode())
        return names

    def region(self, name: str, shape: int | tuple, dtype: DTypeLike = numpy.uint32, create: bool = False) -> DeviceArray:
        """A region of persistent memory of that name: the one that there is, or a new one of zeros.

        A new one is refused, for the name may be mistyped, when pm_file had regions when it was opened, or when the name is nearly that of a
        region. create=True makes it all the same."""
        names = self._regions()
        near = difflib.get_close_matches(str(name), names, 1)
        if name not in names and not create and (self._found or near):
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(repr(n) for n in names[:8])};"
            raise RequestError(f"no region '{name}'; {hint} create=True makes a new one")
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (int(shape),)
        address = ctypes.c_uint64()
        nbytes = int(numpy.prod(shape, dtype=object)) * numpy.dtype(dtype).itemsize
        self._check(c.lib.cowarp_pm_alloc(self._handle(), ctypes.byref(address), name.encode(), nbytes))
        return DeviceArray(self, address.value, shape, dtype, name)

    # Modules and launches --------------------------------------------------------------------------------------------

    def load(self, source: str | bytes | os.PathLike, name: str = "text.ptx") -> Module:
        """A Module from a file, or from PTX text: bytes, or a string of several lines."""
        handle = c.MODULE()
        text = source.encode() if isinstance(source, str) and "\n" in source else source
        with self._calls.guard():
            if isinstance(text, bytes):
                status = c.lib.cowarp_load(self._handle(), ctypes.byref(handle), text, len(text), name.encode())
            else:
                name = os.fspath(source)
                status = c.lib.cowarp_load_file(self._handle(), ctypes.byref(handle), os.fsencode(source))
            self._check(status)
        module = Module(self, handle.value, name)
        self._modules.append(module)
        return module

    def load_cuda(self, source: str | os.PathLike, **how) -> Module:
        """A Module from CUDA C, a path or text of several lines: compile_cuda(source, **how), then load. A kernel is found by its plain name,
        too: "saxpy" for _Z5saxpyfPKfPf."""
        return self.load(compile_cuda(source, **how), "text.cu" if "\n" in os.fspath(source) else os.fspath(source))

    def _find(self, kernel):
        if isinstance(kernel, Kernel):
            if kernel.module.gpu is not self:
                raise RequestError(f"kernel {kernel.name} was loaded on another GPU")
            return kernel
        found = [m.kernels[kernel] for m in self._modules if kernel in m.kernels]
        if not found:
            found = [k for m in self._modules for name, k in m.kernels.items() if plain_name(name) == kernel]
        if len(found) > 1:
            raise RequestError(f"{len(found)} kernels are called '{kernel}'; use module.kernels['{found[0].name}']")
        if not found:
            names = [name for m in self._modules for name in m.kernels]
            near = difflib.get_close_matches(str(kernel), names, 1)
            hint = f"did you mean '{near[0]}'?" if near else "load its module first"
            raise RequestError(f"no kernel '{kernel}'; {hint}")
        return found[0]

    def run(self, kernel: str | Kernel, grid: int | tuple, block: int | tuple, *values, shared: int = 0, static_warps: bool = False,
            registers: int = 0, functional: bool = False, baseline: bool = False) -> int:
        """Runs a kernel, a Kernel or its name, to its end and returns the core cycles that it took.

        grid, block: a number or a tuple of up to three. values: one for each parameter. A number is converted to the parameter's size, and
        refused when it does not fit. A numpy array is copied to the device before the launch and back after it; In, Out and InOut say
        it explicitly, and a read-only array is In. A DeviceArray stays where it is. After an error no array is copied back.
        shared: bytes of dynamic shared memory. registers: of a thread; 0 leaves them to the options and the PTX. functional: the launch
        takes no time. baseline: it runs under warptm in the place of sitm-*, without versions of memory."""
        kernel = self._find(kernel)
        launch = Prepared(self, kernel)
        try:
            for i, value in enumerate(arguments.expanded(values)):
                launch.add(i, value)
            before = c.lib.cowarp_cycles(self._handle())
            struct = launch.struct(Shape.of("grid", grid), Shape.of("block", block), shared, static_warps, registers, functional, baseline)
            with self._calls.guard():
                status = c.lib.cowarp_run(self._gpu, kernel.module.handle, ctypes.byref(struct))
                if self._calls.pending is None:
                    self._check(status)
            launch.copy_back()
            return c.lib.cowarp_cycles(self._gpu) - before
        finally:
            launch.free()

    def occupancy(self, kernel: str | Kernel, grid: int | tuple, block: int | tuple, shared: int = 0, registers: int = 0) -> dict:
        """How many blocks of a launch a core holds at once, and what limits them, as a dict (struct cowarp_occupancy). Nothing runs."""
        kernel, found = self._find(kernel), c.Occupancy()
        struct = Prepared(self, kernel).struct(Shape.of("grid", grid), Shape.of("block", block), shared, False, registers)
        struct.arg_count = 0
        self._check(c.lib.cowarp_occupancy(self._handle(), kernel.module.handle, ctypes.byref(struct), ctypes.byref(found)))
        return occupancy_of(found)

    @property
    def occupancies(self) -> list:
        """The same of the launches so far, a list of dicts; equal launches are one, and "launches" counts them."""
        found, rows = c.Occupancy(), []
        while c.lib.cowarp_occupancy_at(self._handle(), len(rows), ctypes.byref(found)):
            rows.append(occupancy_of(found))
        return rows

    @property
    def findings(self) -> list:
        """What the option checks has found, a list of dicts (struct cowarp_finding)."""
        found, rows = c.Finding(size=ctypes.sizeof(c.Finding)), []
        while c.lib.cowarp_finding_at(self._handle(), len(rows), ctypes.byref(found)):
            row = {name: getattr(found, name) for name, _ in c.Finding._fields_ if name != "size"}
            row = {name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()}
            rows.append({**row, "block": tuple(row["block"]), "thread": tuple(row["thread"])})
        return rows

    def advise(self, kernel: str | Kernel, threads: int = 256, shared: int = 0) -> dict:
        """What transactions in shared memory take of a core (docs/command.md, cowarp advise), as a dict."""
        kernel, advice = self._find(kernel), c.Advice()
        self._check(c.lib.cowarp_advise(self._handle(), kernel.module.handle, kernel.name.encode(), threads, shared, ctypes.byref(advice)))
        plain = {name: getattr(advice, name) for name, _ in c.Advice._fields_ if name not in ("alone", "line")}
        plain = {name: value.decode() if isinstance(value, bytes) else value for name, value in plain.items()}

        def row(line):
            values = {name: getattr(line, name) for name, _ in c.AdviceLine._fields_}
            return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}
        return {**plain, "alone": row(advice.alone), "line": [row(line) for line in advice.line]}

    def phase(self, name: str | None) -> None:
        """A phase of the program begins; None: none does."""
        self._check(c.lib.cowarp_phase(self._handle(), None if name is None else name.encode()))

    # Results ---------------------------------------------------------------------------------------------------------

    @property
    def cycles(self) -> int:
        """Core cycles of all launches so far."""
        return c.lib.cowarp_cycles(self._handle())

    @property
    def estimated(self) -> dict:
        """With estimate=PART: cycles, half of their 95-percent interval, and how many instructions and launches they come from."""
        e = c.Estimate(size=ctypes.sizeof(c.Estimate))
        self._check(c.lib.cowarp_estimated(self._handle(), ctypes.byref(e)))
        return {name: getattr(e, name) for name, _ in c.Estimate._fields_ if name != "size"}

    @property
    def stats(self) -> dict:
        """Every counter, and what was run, as a dict: sums over all launches so far. cowarp.counters() says what each means."""
        handle = self._handle()
        first = {"preset": self.preset, "system": self.system, "seed": self.seed, "cycles": c.lib.cowarp_cycles(handle),
                 "simulated_us": c.lib.cowarp_microseconds(handle), "host_seconds": c.lib.cowarp_host_seconds(handle)}
        return {**first, **{name: value for name, value, _, _ in counters_of(handle)}}

    def write_stats(self, path: str | os.PathLike, workload: str | None = None, variant: str | None = None, check: str | None = None) -> None:
        """The statistics file of the command (docs/command.md), JSON. It is complete or not there."""
        texts = [None if text is None else str(text).encode() for text in (workload, variant, check)]
        self._check(c.lib.cowarp_write_stats(self._handle(), os.fsencode(path), *texts))

    def write_profile(self, path: str | os.PathLike) -> None:
        """After the last run, with record_profile: where time went, by lines of the PTX (docs/profile.md)."""
        self._check(c.lib.cowarp_write_profile(self._handle(), os.fsencode(path)))

    def write_branches(self, path: str | os.PathLike) -> None:
        """The counts of branches, with record_branches=True."""
        self._check(c.lib.cowarp_write_branches(self._handle(), os.fsencode(path)))

    @property
    def oracle(self) -> str:
        """The serializability oracle's verdict, one line; "" when it is off or nothing has run."""
        return c.lib.cowarp_oracle(self._handle()).decode()

    @property
    def persist_oracle(self) -> str:
        """The same of the persistency oracle."""
        return c.lib.cowarp_persist_oracle(self._handle()).decode()

    def __repr__(self):
        return "Gpu(closed)" if self._gpu is None else f"Gpu({self.preset}, {self.system}, {self.cycles} cycles)"


def occupancy_of(struct):
    """A dict of it: limit is a list, and a resource of which a block needs nothing allows None."""
    row = {name: getattr(struct, name) for name, _ in c.Occupancy._fields_}
    row = {name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()}
    row = {name: None if name.startswith("by_") and value == 0xffffffff else value for name, value in row.items()}
    return {**row, "limit": row["limit"].split(", ")}


class Prepared:
    """The arguments of one launch, and the device memory that its arrays have for that time."""

    def __init__(self, gpu, kernel):
        self.gpu, self.kernel, self.args, self.keep, self.buffers = gpu, kernel, [], [], []

    def add(self, i, value):
        if i >= len(self.kernel.params):
            raise RequestError(f"{self.kernel.name}: takes {len(self.kernel.params)} arguments, given more")
        param = self.kernel.params[i]
        where = f"{self.kernel.name}: argument {i + 1} ({param.name})"
        if isinstance(value, (arguments.In, DeviceArray)):
            if param.bytes != 8 or param.kind != "integer":
                raise TypeError(f"{where}: an array needs a pointer, and the parameter is a {param.kind} of {param.bytes} bytes")
            address = self.device(where, value) if isinstance(value, DeviceArray) else self.buffer(where, value)
            self.args.append(c.Arg(c.U64, c.Value(u64=address)))
        else:
            self.args.append(arguments.scalar(where, param, value, self.keep))

    def device(self, where, array):
        if array.gpu is not self.gpu:
            raise RequestError(f"{where}: the DeviceArray is of another GPU")
        return array._live()

    def buffer(self, where, wrap):
        """Device memory for an array; the same for the same array given twice."""
        for other, address in self.buffers:
            same = other.array.__array_interface__ == wrap.array.__array_interface__
            if same and type(other) is type(wrap):
                return address
            if (other.writes or wrap.writes) and numpy.shares_memory(other.array, wrap.array):
                raise RequestError(f"{where}: the array shares memory with another argument; put it into a DeviceArray (gpu.array)")
        address = self.gpu._alloc(wrap.array.nbytes)
        self.buffers.append((wrap, address))
        if wrap.reads:
            self.gpu._write(address, numpy.ascontiguousarray(wrap.array))
        return address

    def struct(self, grid, block, shared, static_warps, registers=0, functional=False, baseline=False):
        self.args_in_c = (c.Arg * max(1, len(self.args)))(*self.args)
        if not 0 <= int(registers) < 1 << 32:
            raise ValueError(f"{registers} is no number of registers")
        return c.Launch(size=ctypes.sizeof(c.Launch), kernel=self.kernel.name.encode(), grid=grid, block=block,
                        dynamic_shared_bytes=shared, arg_count=len(self.args), args=self.args_in_c, static_warps=int(static_warps),
                        registers=int(registers), functional=int(bool(functional)), baseline=int(bool(baseline)))

    def copy_back(self):
        for wrap, address in self.buffers:
            if wrap.writes:
                data = numpy.empty(wrap.array.shape, wrap.array.dtype)
                self.gpu._read(data, address)
                wrap.array[...] = data

    def free(self):
        for _, address in self.buffers:
            if self.gpu._gpu is not None:
                c.lib.cowarp_free(self.gpu._gpu, address)


def counters_of(handle):
    name, value, unit, what = ctypes.c_char_p(), ctypes.c_uint64(), ctypes.c_char_p(), ctypes.c_char_p()
    found = []
    while c.lib.cowarp_counter_at(handle, len(found), ctypes.byref(name), ctypes.byref(value), ctypes.byref(unit), ctypes.byref(what)):
        found.append((name.value.decode(), value.value, unit.value.decode(), what.value.decode()))
    return found
