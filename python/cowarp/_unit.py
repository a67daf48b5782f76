# SPDX-License-Identifier: Apache-2.0
"""A hardware unit's C model by itself."""
import ctypes

from . import _library as c
from ._errors import made


class Unit:
    """One unit of cowarp.units(), with the ports and parameters of include/cowarp/unit/<unit>.h.

        with cowarp.Unit("priority_encoder", width=8) as unit:
            unit.step(in_valid=1, in_vector=0b0110_1000)
            print(unit["index"])

    A cycle is: inputs are set, outputs are what they are in this cycle, the clock rises. Inputs keep their values."""

    def __init__(self, name: str, **params: int):
        self._unit, error = c.UNIT(), ctypes.create_string_buffer(512)
        text = " ".join(f"{key}={int(value)}" for key, value in params.items())
        status = c.lib.cowarp_unit_open(ctypes.byref(self._unit), name.encode(), text.encode(), error, len(error))
        if status != c.OK:
            raise made(status, error.value.decode(errors="replace"))
        self.name = name
        self._number, self._bits, self._in = {}, {}, {}
        port, bits, is_input = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_int()
        while c.lib.cowarp_unit_port(self._unit, len(self._number), ctypes.byref(port), ctypes.byref(bits), ctypes.byref(is_input)):
            key = port.value.decode()
            self._number[key], self._bits[key], self._in[key] = len(self._number), bits.value, bool(is_input.value)

    def close(self) -> None:
        """Frees the unit. It can be called again."""
        unit, self._unit = self._unit, None
        if unit:
            c.lib.cowarp_unit_close(unit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_unit", None):
            self.close()

    @property
    def inputs(self) -> dict:
        """Bits of each input."""
        return {name: self._bits[name] for name in self._number if self._in[name]}

    @property
    def outputs(self) -> dict:
        """Bits of each output."""
        return {name: self._bits[name] for name in self._number if not self._in[name]}

    def _handle(self):
        if not self._unit:
            raise made(c.EINVAL, f"unit {self.name} has been closed")
        return self._unit

    def _known(self, name):
        if name not in self._number:
            raise made(c.EINVAL, f"unit {self.name} has no port '{name}'; inputs and outputs list them")
        return self._number[name]

    def __getitem__(self, name):
        """A port's value: of an input as it was set, of an output as eval, step or reset has left it."""
        port, handle = self._known(name), self._handle()
        return sum(c.lib.cowarp_unit_get(handle, port, part) << 64 * part for part in range((self._bits[name] + 63) // 64))

    def __setitem__(self, name, value):
        port, handle, value = self._known(name), self._handle(), int(value)
        if not self._in[name] or value < 0 or value >> self._bits[name]:
            raise made(c.EINVAL, f"unit {self.name}: {name} is {f'an input of {self._bits[name]} bits' if self._in[name] else 'an output'}, "
                                 f"so it cannot be {value}")
        for part in range((self._bits[name] + 63) // 64):
            c.lib.cowarp_unit_set(handle, port, part, value >> 64 * part & 2 ** 64 - 1)

    def _read(self):
        return {name: self[name] for name in self._number if not self._in[name]}

    def eval(self, **inputs) -> dict:
        """The outputs of this cycle with these inputs; nothing is clocked."""
        for name, value in inputs.items():
            self[name] = value
        c.lib.cowarp_unit_eval(self._handle())
        return self._read()

    def step(self, **inputs) -> dict:
        """The same, and behind it the clock edge."""
        for name, value in inputs.items():
            self[name] = value
        c.lib.cowarp_unit_tick(self._handle())
        return self._read()

    def reset(self) -> dict:
        """The outputs behind a cycle with rst_i = 1."""
        c.lib.cowarp_unit_reset(self._handle())
        return self._read()

    def run(self, cycles: int | None = None, **inputs) -> dict:
        """Steps through arrays: an input is a number, or has a value for each cycle. Returns each output as a numpy array with a value for each cycle,
        uint64, or of Python's numbers where the port is wider."""
        import numpy  # noqa: PLC0415  (only this needs it)
        rows = {name: values for name, values in inputs.items() if not numpy.isscalar(values)}
        lengths = {len(values) for values in rows.values()} | ({cycles} if cycles is not None else set())
        if len(lengths) != 1:
            raise made(c.EINVAL, f"unit {self.name}: run takes a number of cycles, or arrays of one length; there were {sorted(lengths)}")
        count = lengths.pop()
        found = {name: numpy.zeros(count, numpy.uint64 if bits <= 64 else object) for name, bits in self.outputs.items()}
        for name in inputs.keys() - rows.keys():
            self[name] = inputs[name]
        for i in range(count):
            for name, value in self.step(**{name: values[i] for name, values in rows.items()}).items():
                found[name][i] = value
        return found
