/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolic integers: a C model's file, compiled as C++ with this header in front, computes over terms instead of numbers.
 *
 * uint32_t, uint64_t and bool become bits<32>, bits<64> and bits<1>. Arithmetic builds terms by C's rules for unsigned types (operands
 * are promoted to at least 32 bits). Where the program needs a number (a condition, an array index), the run splits: decide() and
 * value() take one possible case, and the whole run is repeated for each other case (symbolic.cpp). A bits<> is a handle, trivially
 * copyable, and the handle 0 is the number 0, so calloc, memset and memcpy mean what they mean in C.
 *
 * Limits: unsigned types only; malloc sizes must come from sizeof of the element (uint8_t is not covered); loops must end by
 * the parameters, which are numbers. A shift by the type's width or more and a division by 0 are reported as errors of the model.
 */
#ifndef CW_EQUIV_SYMBOLIC_H
#define CW_EQUIV_SYMBOLIC_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include <stdbool.h>

namespace equiv
{

using handle = std::uint32_t;
enum operation { ADD, SUB, MUL, DIV, REM, AND, OR, XOR, SHL, SHR, EQ, LT, ITE_KEEP };

handle constant(std::uint64_t value, unsigned width);
handle combine(operation op, handle a, handle b, unsigned width); /* EQ and LT: a handle of width 1 */
handle resize(handle a, unsigned from, unsigned to);
handle select(handle condition, handle a, handle b, unsigned width); /* no split */
handle any(unsigned width);                                          /* a number of the solver's choice */
bool decide(handle a);                                               /* of width 1; splits */
std::uint64_t value(handle a, unsigned width);                       /* splits */
handle rtl(int time, const char *name, unsigned low, unsigned width);
void assume_true(handle a, const char *what);
void require_true(handle a, const char *what);
std::uint32_t parameter(const char *name); /* NAME=VALUE of the command line */

template <class T> constexpr unsigned width_of = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);

template <unsigned W> struct bits {
    static constexpr unsigned width = W;
    handle h;

    bits() = default;
    template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>, int> = 0>
    bits(T v) : h(constant(static_cast<std::uint64_t>(v), W))
    {
    }
    template <unsigned V> explicit(V > W && W != 1) bits(bits<V> o) : h(W == 1 && V != 1 ? (o != 0).h : resize(o.h, V, W))
    {
    }

    explicit operator bool() const
    {
        return decide(bits<1>(*this).h);
    }
    /* Implicit for an array index only, so that c ? number : term has one meaning. */
    template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
    explicit(!std::is_same_v<T, std::ptrdiff_t>) operator T() const
    {
        return static_cast<T>(value(h, W));
    }
    bits operator++(int)
    {
        bits old = *this;
        *this = *this + 1;
        return old;
    }
    bits operator--(int)
    {
        bits old = *this;
        *this = *this - 1;
        return old;
    }
    bits &operator++()
    {
        return *this = *this + 1;
    }
    bits &operator--()
    {
        return *this = *this - 1;
    }
    bits<(W > 32 ? W : 32)> operator~() const;
    bits<1> operator!() const
    {
        return *this == 0;
    }
};

template <class T> struct shape {
    static constexpr bool symbolic = false;
    static constexpr bool number = std::is_integral_v<T> || std::is_enum_v<T>;
    static constexpr unsigned width = width_of<T>;
};
template <unsigned W> struct shape<bits<W>> {
    static constexpr bool symbolic = true, number = true;
    static constexpr unsigned width = W;
};
template <class A, class B>
using both = std::enable_if_t<(shape<A>::symbolic || shape<B>::symbolic) && shape<A>::number && shape<B>::number, int>;

constexpr unsigned max3(unsigned a, unsigned b, unsigned c = 32)
{
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

template <class R> R of_handle(handle h)
{
    R r;
    r.h = h;
    return r;
}

#define EQUIV_ARITHMETIC(symbol, op)                                                                  \
    template <class A, class B, both<A, B> = 0> auto operator symbol(A a, B b)                        \
    {                                                                                                 \
        using R = bits<max3(shape<A>::width, shape<B>::width)>;                                       \
        return of_handle<R>(combine(op, R(a).h, R(b).h, R::width));                                   \
    }                                                                                                 \
    template <unsigned W, class B, both<bits<W>, B> = 0> bits<W> &operator symbol##=(bits<W> &a, B b) \
    {                                                                                                 \
        return a = bits<W>(a symbol b);                                                               \
    }
EQUIV_ARITHMETIC(+, ADD)
EQUIV_ARITHMETIC(-, SUB)
EQUIV_ARITHMETIC(*, MUL)
EQUIV_ARITHMETIC(/, DIV)
EQUIV_ARITHMETIC(%, REM)
EQUIV_ARITHMETIC(&, AND)
EQUIV_ARITHMETIC(|, OR)
EQUIV_ARITHMETIC(^, XOR)

/* A shift has the type of its left side alone. */
#define EQUIV_SHIFT(symbol, op)                                                                       \
    template <class A, class B, both<A, B> = 0> auto operator symbol(A a, B b)                        \
    {                                                                                                 \
        using R = bits<max3(shape<A>::width, 32)>;                                                    \
        require_true((bits<64>(b) < R::width).h, "a shift by less than the width");                   \
        return of_handle<R>(combine(op, R(a).h, R(b).h, R::width));                                   \
    }                                                                                                 \
    template <unsigned W, class B, both<bits<W>, B> = 0> bits<W> &operator symbol##=(bits<W> &a, B b) \
    {                                                                                                 \
        return a = bits<W>(a symbol b);                                                               \
    }

#define EQUIV_COMPARE(symbol, op, x, y, negate)                                     \
    template <class A, class B, both<A, B> = 0> bits<1> operator symbol(A a, B b)   \
    {                                                                               \
        using R = bits<max3(shape<A>::width, shape<B>::width)>;                     \
        handle h = combine(op, R(x).h, R(y).h, R::width);                           \
        return of_handle<bits<1>>(negate ? combine(XOR, h, constant(1, 1), 1) : h); \
    }
EQUIV_COMPARE(==, EQ, a, b, false)
EQUIV_COMPARE(!=, EQ, a, b, true)
EQUIV_COMPARE(<, LT, a, b, false)
EQUIV_COMPARE(>, LT, b, a, false)
EQUIV_COMPARE(<=, LT, b, a, true)
EQUIV_COMPARE(>=, LT, a, b, true)
EQUIV_SHIFT(<<, SHL)
EQUIV_SHIFT(>>, SHR)

template <unsigned W> bits<(W > 32 ? W : 32)> bits<W>::operator~() const
{
    using R = bits<(W > 32 ? W : 32)>;
    return of_handle<R>(combine(XOR, R(*this).h, R(UINT64_MAX).h, R::width));
}

/* condition ? a : b without a split; both sides are computed. */
template <unsigned W> bits<W> pick(bits<1> condition, bits<W> a, bits<W> b)
{
    return of_handle<bits<W>>(select(condition.h, a.h, b.h, W));
}

template <unsigned W> bits<W> anything()
{
    return of_handle<bits<W>>(any(W));
}

/* Bits low + width - 1 .. low of a signal of the RTL in the cycle (time 0) or in the next one (time 1; registers only). */
inline bits<64> signal(int time, const char *name, unsigned low = 0, unsigned width = 0)
{
    return of_handle<bits<64>>(rtl(time, name, low, width));
}

inline void assume(bits<1> a, const char *what)
{
    assume_true(a.h, what);
}

/* The proof obligation: a holds in every case that leads here. */
inline void require(bits<1> a, const char *what)
{
    require_true(a.h, what);
}

} /* namespace equiv */

/* The sizes of memory are numbers. */
template <unsigned W> void *calloc(equiv::bits<W> count, std::size_t size)
{
    return std::calloc(static_cast<std::size_t>(count), size);
}

template <unsigned W> void *memset(void *to, int byte, equiv::bits<W> size)
{
    return std::memset(to, byte, static_cast<std::size_t>(size));
}

/* What a unit's file provides: its cases ("step", "reset"), each run once for every way through the model. */
struct equiv_case {
    const char *name;
    void (*run)(void);
};
extern const struct equiv_case equiv_cases[]; /* ends with a null name */

#endif
