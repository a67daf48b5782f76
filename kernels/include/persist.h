/* SPDX-License-Identifier: Apache-2.0 */
/* Persistency in OpenCL C: fences, acquires and releases of persistent memory (Pandey et al., ASPLOS 2023, section 5). What becomes of them
 * is the persistency model's business (csim/mech/persist); under the model none they order nothing. */
#ifndef KERNELS_PERSIST_H
#define KERNELS_PERSIST_H

/* Earlier persists of the thread are durable before its later ones. */
void ofence(void);
/* The same, and earlier persists of the thread are durable when it returns. */
void dfence(void);

/* What acquires and releases are made of; call those below instead. */
void cowarp_pacq_begin(uint scope);
void cowarp_pacq_end(ulong address, uint value, uint scope);
void cowarp_prel(ulong address, uint value, uint scope);
#define PERSIST_BLOCK  0u
#define PERSIST_DEVICE 1u

/* The address that all address spaces share. */
static inline __attribute__((overloadable)) ulong persist__address(volatile __global uint *p)
{
    return (ulong)p;
}

static inline __attribute__((overloadable)) ulong persist__address(volatile __global uchar *p)
{
    return (ulong)p;
}

static inline __attribute__((overloadable)) ulong persist__address(volatile __local uint *p)
{
    ulong address;
    __asm__("cvta.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
    return address;
}

/* The variable itself: a relaxed load or store of the scope, which the compiler leaves where it is. */
#define PERSIST__ACCESSES(level, order, qualifier, space, type, bits)                                               \
    static inline __attribute__((overloadable)) uint persist__load_##level(volatile qualifier type *p)              \
    {                                                                                                               \
        uint value;                                                                                                 \
        __asm__ volatile("ld.relaxed." order "." space "." bits " %0, [%1];" : "=r"(value) : "l"(p) : "memory");    \
        return value;                                                                                               \
    }                                                                                                               \
    static inline __attribute__((overloadable)) void persist__store_##level(volatile qualifier type *p, uint value) \
    {                                                                                                               \
        __asm__ volatile("st.relaxed." order "." space "." bits " [%0], %1;" : : "l"(p), "r"(value) : "memory");    \
    }

/* pacq_block(p), pacq_dev(p): reads *p and acquires. The thread's later persists come after those that the releasing thread has made before
 * it released this value, if both scopes cover both threads.
 * prel_block(p, v), prel_dev(p, v): releases the thread's earlier persists, and sets *p to v.
 * p may point to a word of global, persistent or shared memory, or to a byte of the first two. */
#define PERSIST__PAIR(level, order, scope, qualifier, space, type, bits)                                  \
    PERSIST__ACCESSES(level, order, qualifier, space, type, bits)                                         \
    static inline __attribute__((overloadable)) uint pacq_##level(volatile qualifier type *p)             \
    {                                                                                                     \
        cowarp_pacq_begin(scope);                                                                         \
        const uint value = persist__load_##level(p);                                                      \
        cowarp_pacq_end(persist__address(p), value, scope);                                               \
        return value;                                                                                     \
    }                                                                                                     \
    static inline __attribute__((overloadable)) void prel_##level(volatile qualifier type *p, uint value) \
    {                                                                                                     \
        cowarp_prel(persist__address(p), value, scope);                                                   \
        persist__store_##level(p, value);                                                                 \
    }

PERSIST__PAIR(block, "cta", PERSIST_BLOCK, __global, "global", uint, "u32")
PERSIST__PAIR(block, "cta", PERSIST_BLOCK, __global, "global", uchar, "u8")
PERSIST__PAIR(block, "cta", PERSIST_BLOCK, __local, "shared", uint, "u32")
PERSIST__PAIR(dev, "gpu", PERSIST_DEVICE, __global, "global", uint, "u32")
PERSIST__PAIR(dev, "gpu", PERSIST_DEVICE, __global, "global", uchar, "u8")
PERSIST__PAIR(dev, "gpu", PERSIST_DEVICE, __local, "shared", uint, "u32")

#endif
