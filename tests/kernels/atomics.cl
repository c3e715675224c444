// Atomics on global, local and any memory.
#include "device.h"

#define EVERY(T, pointer, value, order, scope)                                                                        \
    __opencl_atomic_fetch_add(pointer, value, order, scope) + __opencl_atomic_fetch_sub(pointer, value, order, scope) + \
        __opencl_atomic_fetch_and(pointer, value, order, scope) + __opencl_atomic_fetch_or(pointer, value, order, scope) + \
        __opencl_atomic_fetch_xor(pointer, value, order, scope) + __opencl_atomic_fetch_min(pointer, value, order, scope) + \
        __opencl_atomic_fetch_max(pointer, value, order, scope) + __opencl_atomic_exchange(pointer, value, order, scope)

kernel void global_atomics(volatile global atomic_int* x, global int* out) {
    out[ID()] = EVERY(int, x, out[ID()], memory_order_relaxed, memory_scope_device);
}

kernel void global_atomics_64(volatile global atomic_long* x, global long* out) {
    out[ID()] = EVERY(long, x, out[ID()], memory_order_seq_cst, memory_scope_all_svm_devices);
}

kernel void global_atomics_unused(volatile global atomic_uint* x, unsigned v) {
    __opencl_atomic_fetch_add(x, v, memory_order_relaxed, memory_scope_device);
    __opencl_atomic_fetch_min(x + 4, v, memory_order_relaxed, memory_scope_device);
    __opencl_atomic_fetch_max(x + 1000, v, memory_order_acq_rel, memory_scope_device);
}

kernel void local_atomics(global int* out, global long* wide) {
    local atomic_int x;
    local atomic_long y;
    out[ID()] = EVERY(int, (volatile local atomic_int*)&x, out[ID()], memory_order_relaxed, memory_scope_work_group);
    wide[ID()] = EVERY(long, (volatile local atomic_long*)&y, wide[ID()], memory_order_relaxed, memory_scope_work_group);
}

#if !defined(__gfx600__)
kernel void generic_atomics(volatile global atomic_int* x, global int* out) {
    local atomic_int here;
    volatile atomic_int* p = out[0] ? (volatile atomic_int*)x : (volatile atomic_int*)&here;
    out[ID()] = EVERY(int, p, out[ID()], memory_order_acq_rel, memory_scope_device);
}
#endif

kernel void compare_and_swap(volatile global atomic_int* x, volatile global atomic_ulong* y, global int* out) {
    int expected = out[ID()];
    ulong other = 5;
    out[ID()] = __opencl_atomic_compare_exchange_strong(x, &expected, 7, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);
    out[ID() + 1] = __opencl_atomic_compare_exchange_strong(y, &other, 9ul, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}

kernel void spin_lock(volatile global atomic_int* lock, volatile global int* shared) {
    while (__opencl_atomic_exchange(lock, 1, memory_order_acquire, memory_scope_device)) __builtin_amdgcn_s_sleep(2);
    *shared += 1;
    __opencl_atomic_store(lock, 0, memory_order_release, memory_scope_device);
}
