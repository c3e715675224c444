// What kernels need of a device library, made of the compiler's own builtins: so most of them run without one, and what
// the compiler makes of them is all there is. The names and what they do are OpenCL C's. What is not here is in the
// library: a kernel that needs it says so in its first lines.
#pragma once

#include "work_items.h"

// For every type: the scalar, and its vectors.
#define VECTORS(M, T) M(T##2) M(T##3) M(T##4) M(T##8) M(T##16)
#define EVERY(M, T) M(T) VECTORS(M, T)
#define SMALL_INTEGERS(M) EVERY(M, char) EVERY(M, uchar) EVERY(M, short) EVERY(M, ushort)
#define LARGE_INTEGERS(M) EVERY(M, int) EVERY(M, uint) EVERY(M, long) EVERY(M, ulong)

// ---- Barriers

#define barrier(flags)                                              \
    do {                                                            \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");      \
        __builtin_amdgcn_s_barrier();                               \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");      \
    } while (0)
#define mem_fence(flags) __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")

// ---- Atomic operations: OpenCL 1's, which are relaxed, on memory of any device

#define ATOMIC(T, A, S, prefix)                                                                                                         \
    INLINE T prefix##_add(volatile S T* p, T v) { return OPERATE(fetch_add, A, S, p, v); }                                              \
    INLINE T prefix##_sub(volatile S T* p, T v) { return OPERATE(fetch_sub, A, S, p, v); }                                              \
    INLINE T prefix##_and(volatile S T* p, T v) { return OPERATE(fetch_and, A, S, p, v); }                                              \
    INLINE T prefix##_or(volatile S T* p, T v) { return OPERATE(fetch_or, A, S, p, v); }                                                \
    INLINE T prefix##_xor(volatile S T* p, T v) { return OPERATE(fetch_xor, A, S, p, v); }                                              \
    INLINE T prefix##_min(volatile S T* p, T v) { return OPERATE(fetch_min, A, S, p, v); }                                              \
    INLINE T prefix##_max(volatile S T* p, T v) { return OPERATE(fetch_max, A, S, p, v); }                                              \
    INLINE T prefix##_xchg(volatile S T* p, T v) { return OPERATE(exchange, A, S, p, v); }                                              \
    INLINE T prefix##_inc(volatile S T* p) { return OPERATE(fetch_add, A, S, p, (T)1); }                                                \
    INLINE T prefix##_dec(volatile S T* p) { return OPERATE(fetch_sub, A, S, p, (T)1); }                                                \
    INLINE T prefix##_cmpxchg(volatile S T* p, T expected, T v)                                                                         \
    {                                                                                                                                   \
        __opencl_atomic_compare_exchange_strong((volatile S A*)p, &expected, v, memory_order_relaxed, memory_order_relaxed,             \
                                                memory_scope_device);                                                                   \
        return expected;                                                                                                                \
    }
#define OPERATE(operation, A, S, p, v) __opencl_atomic_##operation((volatile S A*)(p), v, memory_order_relaxed, memory_scope_device)
#define ATOMICS(S)                         \
    ATOMIC(int, atomic_int, S, atomic)     \
    ATOMIC(uint, atomic_uint, S, atomic)   \
    ATOMIC(long, atomic_long, S, atom)     \
    ATOMIC(ulong, atomic_ulong, S, atom)   \
    INLINE float atomic_xchg(volatile S float* p, float v) { return as_float(atomic_xchg((volatile S uint*)p, as_uint(v))); }
ATOMICS(global)
ATOMICS(local)
#define HAVE_GENERIC !defined(__gfx600__)  // the only target without an address space of all others

// ---- Integers

#define COMPARED(T)                                                              \
    INLINE T min(T a, T b) { return b < a ? b : a; }                             \
    INLINE T max(T a, T b) { return a < b ? b : a; }                             \
    INLINE T clamp(T x, T low, T high) { return min(max(x, low), high); }
SMALL_INTEGERS(COMPARED)
LARGE_INTEGERS(COMPARED)

#define MUL24(T)                                                                                  \
    INLINE T mul24(T a, T b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }                        \
    INLINE T mad24(T a, T b, T c) { return mul24(a, b) + c; }
EVERY(MUL24, int)
EVERY(MUL24, uint)

// Of one width: U is the unsigned type, W the type of twice the width.
#define WIDENED(T, U, W, bits)                                                                                           \
    INLINE T mul_hi(T a, T b) { return (T)(((W)a * (W)b) >> bits); }                                                     \
    INLINE T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }                                                          \
    INLINE T hadd(T a, T b) { return (T)(((W)a + (W)b) >> 1); }                                                          \
    INLINE T rhadd(T a, T b) { return (T)(((W)a + (W)b + 1) >> 1); }                                                     \
    INLINE U abs_diff(T a, T b) { return (U)max(a, b) - (U)min(a, b); }                                                      \
    INLINE T rotate(T a, T b) { return (T)((U)a << (b & (bits - 1)) | (U)a >> (-b & (bits - 1))); }
WIDENED(char, uchar, short, 8)
WIDENED(uchar, uchar, ushort, 8)
WIDENED(short, ushort, int, 16)
WIDENED(ushort, ushort, uint, 16)
WIDENED(int, uint, long, 32)
WIDENED(uint, uint, ulong, 32)
WIDENED(long, ulong, __int128, 64)
WIDENED(ulong, ulong, unsigned __int128, 64)

#define SIGNED(T, U, bits)                                                                                               \
    INLINE U abs(T a) { return a < 0 ? (U)0 - (U)a : (U)a; }                                                             \
    INLINE U abs(U a) { return a; }                                                                                      \
    INLINE T clz(T a) { return a ? (T)(__builtin_clzl((ulong)(U)a) - (64 - bits)) : (T)bits; }                           \
    INLINE U clz(U a) { return a ? (U)(__builtin_clzl((ulong)a) - (64 - bits)) : (U)bits; }                              \
    INLINE T ctz(T a) { return a ? (T)__builtin_ctzl((ulong)(U)a) : (T)bits; }                                           \
    INLINE U ctz(U a) { return a ? (U)__builtin_ctzl((ulong)a) : (U)bits; }                                              \
    INLINE T popcount(T a) { return (T)__builtin_popcountl((ulong)(U)a); }                                               \
    INLINE U popcount(U a) { return (U)__builtin_popcountl((ulong)a); }                                                  \
    INLINE T add_sat(T a, T b) { T x; return __builtin_add_overflow(a, b, &x) ? (T)((U)(b < 0) + ((U)-1 >> 1)) : x; }    \
    INLINE U add_sat(U a, U b) { U x; return __builtin_add_overflow(a, b, &x) ? (U)-1 : x; }                             \
    INLINE T sub_sat(T a, T b) { T x; return __builtin_sub_overflow(a, b, &x) ? (T)((U)(b > 0) + ((U)-1 >> 1)) : x; }    \
    INLINE U sub_sat(U a, U b) { U x; return __builtin_sub_overflow(a, b, &x) ? (U)0 : x; }
SIGNED(char, uchar, 8)
SIGNED(short, ushort, 16)
SIGNED(int, uint, 32)
SIGNED(long, ulong, 64)

#define MAD_SAT(T, W, low, high)                                                              \
    INLINE T mad_sat(T a, T b, T c)                                                           \
    {                                                                                         \
        const W x = (W)a * (W)b + (W)c;                                                       \
        return x < (W)low ? low : x > (W)high ? high : (T)x;                                  \
    }
MAD_SAT(char, int, CHAR_MIN, CHAR_MAX)
MAD_SAT(uchar, int, 0, UCHAR_MAX)
MAD_SAT(short, long, SHRT_MIN, SHRT_MAX)
MAD_SAT(ushort, long, 0, USHRT_MAX)
MAD_SAT(int, long, INT_MIN, INT_MAX)
MAD_SAT(uint, ulong, 0, UINT_MAX)
MAD_SAT(long, __int128, LONG_MIN, LONG_MAX)
MAD_SAT(ulong, unsigned __int128, 0, ULONG_MAX)

INLINE short upsample(char high, uchar low) { return (short)((short)high << 8 | low); }
INLINE ushort upsample(uchar high, uchar low) { return (ushort)((ushort)high << 8 | low); }
INLINE int upsample(short high, ushort low) { return (int)high << 16 | low; }
INLINE uint upsample(ushort high, ushort low) { return (uint)high << 16 | low; }
INLINE long upsample(int high, uint low) { return (long)high << 32 | low; }
INLINE ulong upsample(uint high, uint low) { return (ulong)high << 32 | low; }

// ---- Floats: what is exact, or rounded once

#define FLOATS(T, suffix)                                                                       \
    INLINE T fma(T a, T b, T c) { return __builtin_fma##suffix(a, b, c); }                      \
    INLINE T fabs(T a) { return __builtin_fabs##suffix(a); }                                    \
    INLINE T floor(T a) { return __builtin_floor##suffix(a); }                                  \
    INLINE T ceil(T a) { return __builtin_ceil##suffix(a); }                                    \
    INLINE T trunc(T a) { return __builtin_trunc##suffix(a); }                                  \
    INLINE T rint(T a) { return __builtin_rint##suffix(a); }                                    \
    INLINE T fmin(T a, T b) { return __builtin_fmin##suffix(a, b); }                            \
    INLINE T fmax(T a, T b) { return __builtin_fmax##suffix(a, b); }                            \
    INLINE T copysign(T a, T b) { return __builtin_copysign##suffix(a, b); }                    \
    INLINE int isnan(T a) { return a != a; }                                                    \
    INLINE int isinf(T a) { return __builtin_fabs##suffix(a) == (T)INFINITY; }                  \
    INLINE T min(T a, T b) { return b < a ? b : a; }                                            \
    INLINE T max(T a, T b) { return a < b ? b : a; }                                            \
    INLINE T clamp(T x, T low, T high) { return __builtin_fmin##suffix(__builtin_fmax##suffix(x, low), high); }
FLOATS(float, f)
FLOATS(double, )
INLINE double sqrt(double a) { return __builtin_sqrt(a); }

// ---- Vectors in memory, aligned as their elements are

#define FROM4(p) (p)[0], (p)[1], (p)[2], (p)[3]
#define FROM8(p) FROM4(p), FROM4((p) + 4)
#define TO4(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3)
#define TO8(x, p) (TO4((x).lo, p), TO4((x).hi, (p) + 4))
#define LOADS(T, S)                                                                                        \
    INLINE T##2 vload2(size_t at, const S T* p) { return (T##2)(p[2 * at], p[2 * at + 1]); }                \
    INLINE T##3 vload3(size_t at, const S T* p) { return (T##3)(p[3 * at], p[3 * at + 1], p[3 * at + 2]); } \
    INLINE T##4 vload4(size_t at, const S T* p) { return (T##4)(FROM4(p + 4 * at)); }                       \
    INLINE T##8 vload8(size_t at, const S T* p) { return (T##8)(FROM8(p + 8 * at)); }                       \
    INLINE T##16 vload16(size_t at, const S T* p) { return (T##16)(FROM8(p + 16 * at), FROM8(p + 16 * at + 8)); }
#define STORES(T, S)                                                                                       \
    INLINE void vstore2(T##2 x, size_t at, S T* p) { p[2 * at] = x.x, p[2 * at + 1] = x.y; }                \
    INLINE void vstore3(T##3 x, size_t at, S T* p) { p[3 * at] = x.x, p[3 * at + 1] = x.y, p[3 * at + 2] = x.z; } \
    INLINE void vstore4(T##4 x, size_t at, S T* p) { TO4(x, p + 4 * at); }                                  \
    INLINE void vstore8(T##8 x, size_t at, S T* p) { TO8(x, p + 8 * at); }                                  \
    INLINE void vstore16(T##16 x, size_t at, S T* p) { TO8(x.lo, p + 16 * at), TO8(x.hi, p + 16 * at + 8); }
#define MEMORY(T) LOADS(T, global) LOADS(T, local) LOADS(T, constant) STORES(T, global) STORES(T, local)
MEMORY(char) MEMORY(uchar) MEMORY(short) MEMORY(ushort) MEMORY(int) MEMORY(uint) MEMORY(long) MEMORY(ulong) MEMORY(float) MEMORY(double)

// ---- printf: the compiler asks for room for what is printed, which is behind two numbers, the bytes taken and the size

#ifdef PRINTS
__attribute__((used)) global char* __printf_alloc(uint bytes)
{
    global uint* buffer = (global uint*)((constant size_t*)__builtin_amdgcn_implicitarg_ptr())[__clang_major__ >= 18 ? 9 : 3];
    const uint at = atomic_add(buffer, bytes);
    return at + bytes <= buffer[1] ? (global char*)(buffer + 2) + at : 0;
}
#endif
