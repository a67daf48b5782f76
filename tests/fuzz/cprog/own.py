# SPDX-License-Identifier: Apache-2.0
"""Random programs of what csmith does not make: floats, halves, 128-bit integers, vectors, bit fields, copies of structs, switch, recursion to a
depth, carries and conversions as PTX has them, operations across lanes. cprog.h has what they are made of."""
import random

CONSTANTS = [0, 1, 2, 3, 5, 7, 31, 32, 63, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000, 0xff800000]
FLOATS = ["0.0f", "-0.0f", "1.0f", "-1.5f", "0x1p-149f", "0x1.fffffep127f", "3.1415927f", "0x1p-126f", "16777217.0f", "1e10f", "-0x1p31f"]
# Instructions of words: text, its operands (r: 32 bits, l: 64, n: 32 bits of at most 255), the result's letter, the model of x0, x1, ...
INSTRUCTIONS = [
    ("shl.b32 %0, %1, %2;", "rn", "r", "(uint32_t)cp_shift(x0, x1, 32, 1, 0)"), ("shr.u32 %0, %1, %2;", "rn", "r", "(uint32_t)cp_shift(x0, x1, 32, 0, 0)"),
    ("shr.s32 %0, %1, %2;", "rn", "r", "(uint32_t)cp_shift(x0, x1, 32, 0, 1)"), ("shl.b64 %0, %1, %2;", "ln", "l", "cp_shift(x0, x1, 64, 1, 0)"),
    ("shr.u64 %0, %1, %2;", "ln", "l", "cp_shift(x0, x1, 64, 0, 0)"), ("shr.s64 %0, %1, %2;", "ln", "l", "cp_shift(x0, x1, 64, 0, 1)"),
    ("bfind.u32 %0, %1;", "r", "r", "cp_find(x0, 32, 0, 0)"), ("bfind.s32 %0, %1;", "r", "r", "cp_find(x0, 32, 1, 0)"),
    ("bfind.shiftamt.s64 %0, %1;", "l", "r", "cp_find(x0, 64, 1, 1)"), ("bfind.u64 %0, %1;", "l", "r", "cp_find(x0, 64, 0, 0)"),
    ("brev.b32 %0, %1;", "r", "r", "(uint32_t)cp_reverse(x0, 32)"), ("brev.b64 %0, %1;", "l", "l", "cp_reverse(x0, 64)"),
    ("bfe.u64 %0, %1, %2, %3;", "lnn", "l", "cp_field64(x0, x1, x2, 0)"), ("bfe.s64 %0, %1, %2, %3;", "lnn", "l", "cp_field64(x0, x1, x2, 1)"),
    ("bmsk.clamp.b32 %0, %1, %2;", "nn", "r", "cp_mask(x0, x1, 0)"), ("bmsk.wrap.b32 %0, %1, %2;", "nn", "r", "cp_mask(x0, x1, 1)"),
    ("mul.hi.u32 %0, %1, %2;", "rr", "r", "(uint32_t)cp_high(x0, x1, 32, 0)"), ("mul.hi.s32 %0, %1, %2;", "rr", "r", "(uint32_t)cp_high(x0, x1, 32, 1)"),
    ("mul.hi.u64 %0, %1, %2;", "ll", "l", "cp_high(x0, x1, 64, 0)"), ("mul.hi.s64 %0, %1, %2;", "ll", "l", "cp_high(x0, x1, 64, 1)"),
    ("mad.hi.u32 %0, %1, %2, %3;", "rrr", "r", "(uint32_t)cp_high(x0, x1, 32, 0) + x2"),
    ("mad.wide.s32 %0, %1, %2, %3;", "rrl", "l", "(uint64_t)((int64_t)(int32_t)x0 * (int32_t)x1) + x2"),
    ("min.s16x2 %0, %1, %2;", "rr", "r", "cp_pairs(x0, x1, 0)"), ("max.s16x2 %0, %1, %2;", "rr", "r", "cp_pairs(x0, x1, 1)"),
    ("cvt.sat.s8.s32 %0, %1;", "r", "r", "cp_clamped((int32_t)x0, -128, 127)"), ("cvt.sat.u16.s32 %0, %1;", "r", "r", "cp_clamped((int32_t)x0, 0, 65535)"),
    ("cvt.s32.s16 %0, %1;", "r", "r", "(uint32_t)(int16_t)x0"), ("cvt.u32.s8 %0, %1;", "r", "r", "(uint32_t)(int8_t)x0"),
    ("slct.b32.s32 %0, %1, %2, %3;", "rrr", "r", "(int32_t)x2 >= 0 ? x0 : x1"), ("popc.b64 %0, %1;", "l", "r", "(uint32_t)__builtin_popcountll(x0)"),
    ("mul24.hi.u32 %0, %1, %2;", "rr", "r", "(uint32_t)((uint64_t)(x0 & 0xffffff) * (x1 & 0xffffff) >> 16)"),
    ("mad24.lo.s32 %0, %1, %2, %3;", "rrr", "r", "(uint32_t)(((int32_t)(x0 << 8) >> 8) * (int64_t)((int32_t)(x1 << 8) >> 8)) + x2"),
]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed, self.name, self.lines, self.locals = seed, f"cp_own_{seed}", [], 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def place(self, kind):
        """A variable of that type."""
        i = self.rng.randrange(4 if kind == "r" else 2)
        return f"s->{kind}[{i}]"

    # Expressions, one function for each type. depth bounds the tree.

    def r(self, depth):
        if depth <= 0:
            return self.pick(self.place("r"), self.place("r"), f"{self.rng.choice(CONSTANTS)}u", f"s->v[{self.rng.randrange(4)}]",
                             f"s->r[{self.place('r')} & 3]")
        a, b = self.r(depth - 1), self.r(depth - 2)
        shape = self.rng.randrange(20)
        if shape < 7:
            return f"({a} {self.pick('+', '-', '*', '&', '|', '^', '+')} {b})"
        return [f"({a} << ({b} & 31))", f"({a} >> ({b} & 31))", f"(uint32_t)((int32_t){a} >> ({b} & 31))", f"({a} / ({b} | 1))",
                f"({a} % ({b} | 1))", f"(uint32_t)cp_divide((int32_t){a}, (int32_t){b})", f"(uint32_t)((uint64_t){a} * {b} >> 32)",
                f"(uint32_t)(int16_t){a}", f"(uint32_t)(uint8_t){a}", f"(uint32_t)__builtin_popcount({a})", f"(uint32_t)__builtin_clz({a} | 1)",
                f"({self.comparison(depth - 1)} ? {a} : {b})", f"(uint32_t){self.q(depth - 1)}"][shape - 7]

    def q(self, depth):
        if depth <= 0:
            return self.pick(self.place("q"), f"(uint64_t){self.place('r')}", f"(uint64_t)(int64_t)(int32_t){self.place('r')}")
        a, b = self.q(depth - 1), self.q(depth - 2)
        return self.pick(f"({a} {self.pick('+', '-', '*', '^', '&', '|')} {b})", f"({a} << ({b} & 63))", f"({a} >> ({b} & 63))",
                         f"(uint64_t)((int64_t){a} >> ({b} & 63))", f"({a} / ({b} | 1))", f"(uint64_t)cp_remainder((int64_t){a}, (int64_t){b})",
                         f"(uint64_t)((u128){a} * {b} >> 64)", f"(uint64_t){self.w(depth - 1)}", f"(uint64_t)cp_f64_to_int({self.d(depth - 1)})",
                         f"(uint64_t)__builtin_popcountll({a})")

    def w(self, depth):
        if depth <= 0:
            return self.place("w")
        a, b = self.w(depth - 1), self.w(depth - 2)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} << ({self.r(0)} & 127))",
                         f"({a} >> ({self.r(0)} & 127))", f"(u128)((__int128){a} >> ({self.r(0)} & 127))", f"(u128){self.q(depth - 1)}",
                         f"({a} < {b} ? {a} : {b})", f"(u128)(__int128)(int64_t){self.q(0)}")

    def f(self, depth):
        if depth <= 0:
            return self.pick(self.place("f"), self.place("f"), self.rng.choice(FLOATS))
        a, b = self.f(depth - 1), self.f(depth - 2)
        return self.pick(f"({a} {self.pick('+', '-', '*', '/')} {b})", f"({a} {self.pick('+', '*')} {b})", f"(- {a})", f"__builtin_fabsf({a})",
                         f"__builtin_sqrtf({a})", f"__builtin_fmaf({a}, {b}, {self.f(0)})", f"__builtin_truncf({a})", f"__builtin_floorf({a})",
                         f"__builtin_ceilf({a})", f"__builtin_copysignf({a}, cp_number({b}))", f"(float)(int32_t){self.r(depth - 1)}",
                         f"(float){self.r(depth - 1)}", f"(float){self.q(depth - 1)}", f"(float){self.d(depth - 1)}", f"(float){self.h(depth - 1)}",
                         f"({self.comparison(depth - 1)} ? {a} : {b})", f"cp_f32_of({self.r(depth - 1)})")

    def d(self, depth):
        if depth <= 0:
            return self.pick(self.place("d"), "0.1", "-0.0", "0x1p-1074")
        a, b = self.d(depth - 1), self.d(depth - 2)
        return self.pick(f"({a} {self.pick('+', '-', '*', '/')} {b})", f"(- {a})", f"__builtin_sqrt({a})", f"__builtin_fma({a}, {b}, {self.d(0)})",
                         f"__builtin_floor({a})", f"(double)(int64_t){self.q(depth - 1)}", f"(double){self.q(depth - 1)}",
                         f"(double){self.f(depth - 1)}", f"__builtin_copysign({a}, cp_number64({b}))", f"cp_f64_of({self.q(depth - 1)})")

    def h(self, depth):
        if depth <= 0:
            return self.place("h")
        a, b = self.h(depth - 1), self.h(depth - 2)
        return self.pick(f"(half)({a} {self.pick('+', '-', '*', '/')} {b})", f"(half)(- {a})", f"(half){self.f(depth - 1)}",
                         f"(half){self.d(depth - 1)}", f"(half)(float)(int16_t){self.r(0)}", f"({self.comparison(depth - 1)} ? {a} : {b})")

    def comparison(self, depth):
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        kind = self.rng.randrange(7)
        make = [self.r, self.q, self.f, self.d, self.h, self.w, self.r][kind]
        cast = ["(int32_t)", "(int64_t)", "", "", "", "(__int128)", ""][kind]
        return f"({cast}{make(depth - 1)} {op} {cast}{make(depth - 1)})"

    # Statements.

    def assign(self):
        kind = self.rng.choice("rrrqqfffddhww")
        return f"{self.place(kind)} = {getattr(self, kind)(self.rng.randint(1, 4))};"

    def fields(self):
        i, k = self.rng.randrange(2), self.rng.randrange(2)
        return self.pick(f"s->b.{self.rng.choice('ace')} = {self.r(2)};", f"s->b.b = (int)({self.r(2)} & 15) - 8;",
                         f"s->b.d = (int64_t)({self.q(1)} >> 29);", f"{self.place('r')} += s->b.{self.rng.choice('ace')} + (uint32_t)s->b.b;",
                         f"{self.place('q')} ^= (uint64_t)s->b.d;", f"s->box[{i}] = s->box[{1 - i}];",
                         f"s->box[{self.place('r')} & 1].inner[{k}] = s->box[{i}].inner[{1 - k}];", f"s->box[{i}].small += (uint8_t){self.r(1)};",
                         f"s->box[{i}].medium = (uint16_t)({self.r(1)} * s->box[{1 - i}].medium);", f"s->box[{i}].f = {self.f(2)};",
                         f"s->box[{i}].inner[{k}].low = (int64_t){self.q(2)};", f"s->box[{i}].inner[{k}].high = (int8_t)({self.r(1)} & 127);",
                         f"{self.place('r')} ^= (uint32_t)s->box[{self.place('r')} & 1].inner[{k}].high;")

    def vector(self):
        return self.pick(f"s->v = s->v {self.pick('+', '-', '*', '^', '&')} (v4u){{{self.r(1)}, {self.r(1)}, {self.r(0)}, {self.r(0)}}};",
                         f"s->v = (v4u){{s->v[2], s->v[0], s->v[3], s->v[1]}} >> {self.rng.randrange(32)};", f"s->v[{self.rng.randrange(4)}] = {self.r(2)};",
                         f"s->v = (v4u)(s->v < (v4u){{{self.r(1)}, {self.r(0)}, {self.r(0)}, {self.r(0)}}}) + s->v;")

    def block(self, depth):
        return " ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 2)))

    def statement(self, depth=2):
        shape = self.rng.randrange(20 if depth > 0 else 13)
        if shape < 6:
            return self.assign()
        if shape < 8:
            return self.fields()
        if shape < 9:
            return self.vector()
        if shape < 11:
            return self.carries()
        if shape < 13:
            return self.instruction()
        if shape < 15:
            return f"if {self.comparison(2)} {{ {self.block(depth)} }} else {{ {self.block(depth)} }}"
        if shape < 16:
            self.locals += 1
            i = f"i{self.locals}"
            leave = f"if {self.comparison(1)} {self.pick('break', 'continue')};" if self.rng.random() < .4 else ""
            return f"for (uint32_t {i} = 0; {i} < ({self.r(0)} & 7); {i}++) {{ {self.block(depth)} {leave} s->r[{i} & 3] += {i}; }}"
        if shape < 18:
            cases = self.rng.sample(range(9), 4)
            text = " ".join(f"case {c}: {self.block(depth)} {self.pick('break;', 'break;', '/* falls through */')}" for c in cases)
            return f"switch ({self.r(1)} % 9) {{ {text} break; default: {self.block(depth)} }}"
        if shape < 19:
            return f"{self.place('r')} += cp_rec_{self.seed}(s, {self.r(1)}, {self.r(0)} & 3);"
        return f"{{ uint32_t t[8] = {{{self.r(1)}, {self.r(0)}}}; t[{self.r(1)} & 7] ^= {self.r(1)}; {self.place('r')} = t[{self.r(0)} & 7] + t[1]; }}"

    def carries(self):
        bits = self.pick(32, 32, 64)
        n, make, c = self.rng.randint(2, 5), self.r if bits == 32 else self.q, "r" if bits == 32 else "l"
        text, model, wrote = [], [], False
        inputs = [make(self.rng.randrange(2)) for _ in range(3)]
        for i in range(n):
            op = self.rng.randrange(4)
            reads = wrote and self.rng.random() < .8
            writes = i < n - 1 and self.rng.random() < .9
            wrote = wrote or writes
            name = (["add", "sub", "mad", "mad"][op] + ("c" if reads else "") + ["", "", ".lo", ".hi"][op] + (".cc" if writes else ""))
            a, b, d = (self.rng.randrange(3) for _ in range(3))
            sources = f"%{n + a}, %{n + b}" + (f", %{n + d}" if op > 1 else "")
            text.append(f"{name}.u{bits} %{i}, {sources};")
            model.append(f"o[{i}] = cp_carry({op}, {bits}, in[{a}], in[{b}], in[{d}], {int(reads)}, {int(writes)}, &flag);")
        kind = f"uint{bits}_t"
        outputs = ", ".join(f'"=&{c}"(o[{i}])' for i in range(n))
        operands = ", ".join(f'"{c}"(in[{i}])' for i in range(3))
        to = self.place("r" if bits == 32 else "q")
        mixed = " ^ ".join(f"o[{i}] * {2 * i + 1}" for i in range(n))
        values = ", ".join(f"({kind}){i}" for i in inputs)
        return (f"{{ {kind} in[3] = {{{values}}}, o[{n}];\n#ifdef CP_GPU\nasm volatile(\"{' '.join(text)}\" : {outputs} : {operands});\n"
                f"#else\nuint32_t flag = 0; {' '.join(m.replace('= cp', f'= ({kind})cp') for m in model)}\n#endif\n{to} ^= {mixed}; }}")

    def one(self, asm, operands, model, to="r", kind="uint32_t", c="r"):
        """An instruction whose operands are 32-bit words unless they say otherwise."""
        names = [f"x{i}" for i in range(len(operands))]
        declared = " ".join(f"{t} {name} = {text};" for name, (t, _, text) in zip(names, operands))
        inputs = ", ".join(f'"{letter}"({name})' for name, (_, letter, _) in zip(names, operands))
        return (f"{{ {declared} {kind} y;\n#ifdef CP_GPU\nasm(\"{asm}\" : \"={c}\"(y) : {inputs});\n#else\ny = {model};\n#endif\n"
                f"{self.place(to)} ^= y; }}")

    def instruction(self):
        word = lambda: ("uint32_t", "r", self.r(1))
        single = lambda: ("float", "f", self.f(2))
        choice = self.rng.randrange(18)
        if choice > 11:
            asm, kinds, to, model = self.rng.choice(INSTRUCTIONS)
            make = {"r": word, "l": lambda: ("uint64_t", "l", self.q(1)),
                    "n": lambda: ("uint32_t", "r", self.pick(f"{self.r(1)} & 31", f"{self.r(1)} & 63", f"{self.r(1)} & 255", "32", "64"))}
            return self.one(asm, [make[k]() for k in kinds], model, "q" if to == "l" else "r", "uint64_t" if to == "l" else "uint32_t", to)
        if choice < 4:
            bits, is_signed, wide = self.pick(32, 64), self.rng.randrange(2), self.rng.randrange(2)
            source = ("double", "d", self.pick(self.d(2), f"cp_f64_of({self.pick('0x7ff8000000000000u', '0xfff0000000000000u', self.q(1))})")) if wide else \
                     ("float", "f", self.pick(self.f(2), f"cp_f32_of({self.r(1)})"))
            return self.one(f"cvt.rzi.{'us'[is_signed]}{bits}.{'f64' if wide else 'f32'} %0, %1;", [source],
                            f"(uint{bits}_t)cp_to_integer((double)x0, {wide}, {bits}, {is_signed})", "r" if bits == 32 else "q", f"uint{bits}_t",
                            "r" if bits == 32 else "l")
        if choice == 4:
            return self.one("prmt.b32 %0, %1, %2, %3;", [word(), word(), word()], "cp_prmt(x0, x1, x2)")
        if choice == 5:
            kind = self.rng.randrange(2)
            return self.one(f"bfe.{'us'[kind]}32 %0, %1, %2, %3;", [word(), word(), word()], f"cp_bfe(x0, x1, x2, {kind})")
        if choice == 6:
            return self.one("bfi.b32 %0, %1, %2, %3, %4;", [word(), word(), word(), word()], "cp_bfi(x0, x1, x2, x3)")
        if choice == 7:
            table = self.rng.randrange(256)
            return self.one(f"lop3.b32 %0, %1, %2, %3, {table};", [word(), word(), word()], f"cp_lop3(x0, x1, x2, {table})")
        if choice == 8:
            left, wrap = self.rng.randrange(2), self.rng.randrange(2)
            return self.one(f"shf.{'rl'[left]}.{('clamp', 'wrap')[wrap]}.b32 %0, %1, %2, %3;", [word(), word(), word()],
                            f"cp_shf(x0, x1, x2, {left}, {wrap})")
        if choice == 9:
            kind = self.rng.randrange(2)
            return self.one(f"sad.{'us'[kind]}32 %0, %1, %2, %3;", [word(), word(), word()], f"cp_sad(x0, x1, x2, {kind})")
        if choice == 10:
            most = self.rng.randrange(2)
            return self.one(f"{{ .reg .f32 m; {('min', 'max')[most]}.f32 m, %1, %2; mov.b32 %0, m; }}", [single(), single()],
                            f"cp_f32_bits(cp_min(x0, x1, {most}))").replace("^= y;", "^= cp_f32_bits(cp_f32_of(y));")
        return self.pick(self.one("dp4a.s32.s32 %0, %1, %2, %3;", [word(), word(), word()], "cp_dp4a(x0, x1, x2)"),
                         self.one("add.sat.s32 %0, %1, %2;", [word(), word()], "cp_saturated((int64_t)(int32_t)x0 + (int32_t)x1)"),
                         self.one("sub.sat.s32 %0, %1, %2;", [word(), word()], "cp_saturated((int64_t)(int32_t)x0 - (int32_t)x1)"),
                         self.one("mul24.lo.u32 %0, %1, %2;", [word(), word()], "(x0 & 0xffffff) * (x1 & 0xffffff)"))

    # Across lanes, between parts in which each lane is for itself.

    def across(self):
        mask = self.pick(0xffffffff, 0xffffffff, self.rng.getrandbits(32) | 1)
        i, kind = self.rng.randrange(4), self.rng.randrange(8)
        if kind < 4:
            width, n = self.pick(32, 32, 16, 8, 4), self.rng.randrange(32)
            if mask != 0xffffffff:  # a lane that does not take part has no value
                kind, width, n = 3, 32, 0
            name, c = ["idx", "up", "down", "bfly"][kind], (32 - width) << 8 | (0 if kind == 1 else 31)
            gpu = f"s.r[{i}] = (uint32_t)__nvvm_shfl_sync_{name}_i32({mask}u, (int)s.r[{i}], {n}, {c});"
            host = f"cp_shfl(v, {mask}u, {kind}, {n}, {width});"
        elif kind < 5:
            gpu, host = f"s.r[{i}] = (uint32_t)__nvvm_match_any_sync_i32({mask}u, s.r[{i}] & 3);", f"cp_match(v, {mask}u);"
            host = "for (int l = 0; l < 32; l++) if (" + f"{mask}u >> l & 1) v[l] &= 3; " + host
        else:
            name = ["ballot", "any", "all"][kind - 5]
            gpu = f"s.r[{i}] = (uint32_t)__nvvm_vote_{name}_sync({mask}u, s.r[{i}] & 1);"
            value = ["b", "b != 0", f"b == {mask}u"][kind - 5]
            host = f"uint32_t b = cp_ballot(v, {mask}u); for (int l = 0; l < 32; l++) if ({mask}u >> l & 1) v[l] = {value};"
        if mask != 0xffffffff:
            gpu = f"if ({mask}u >> lane & 1) {{ {gpu} }}"
        host = f"{{ uint32_t v[32]; for (int l = 0; l < 32; l++) v[l] = t[l].r[{i}]; {host} for (int l = 0; l < 32; l++) t[l].r[{i}] = v[l]; }}"
        return gpu, host

    def text(self):
        parts = self.pick(2, 2, 3)
        out = [f"static uint32_t cp_rec_{self.seed}(struct state *s, uint32_t x, uint32_t depth)\n{{\n    if (depth == 0)\n        return x * 3;\n"
               f"    uint32_t below = cp_rec_{self.seed}(s, x ^ s->r[depth & 3], depth - 1);\n    s->r[depth & 3] += below;\n"
               f"    return below + cp_rec_{self.seed}(s, below, depth - 1) * x;\n}}\n"]
        for p in range(parts):
            body = "\n    ".join(self.statement() for _ in range(self.rng.randint(2, 4)))
            out.append(f"static __attribute__((noinline)) void cp_part_{self.seed}_{p}(struct state *s)\n{{\n    {body}\n}}\n")
        across = [self.across() for _ in range(parts - 1)]
        gpu = "".join(f"    cp_part_{self.seed}_{p}(&s);\n" + (f"    {across[p][0]}\n" if p < parts - 1 else "") for p in range(parts))
        host = "".join(f"    for (int l = 0; l < 32; l++)\n        cp_part_{self.seed}_{p}(&t[l]);\n" + (f"    {across[p][1]}\n" if p < parts - 1 else "")
                       for p in range(parts))
        out.append(f"void {self.name}(uint32_t *out)\n{{\n#ifdef CP_GPU\n    const uint32_t lane = (uint32_t)__nvvm_read_ptx_sreg_tid_x();\n"
                   f"    struct state s = {{{{0}}}};\n    cp_begin(&s, {self.seed}, lane);\n{gpu}    out[lane] = cp_end(&s);\n#else\n"
                   f"    static struct state t[32];\n    for (uint32_t l = 0; l < 32; l++)\n        cp_begin(&t[l], {self.seed}, l);\n{host}"
                   f"    for (int l = 0; l < 32; l++)\n        out[l] = cp_end(&t[l]);\n#endif\n}}\n")
        return "\n".join(out)
