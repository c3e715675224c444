// Greatest divisors, powers modulo a number by Montgomery's products in 64 bits, a test for primes, and a sieve in local memory.
// buffer  a       ulong[256]  bits
// buffer  b       ulong[256]  bits
// buffer  out     ulong[768]  zero
// buffer  primes  int[16]     zero
// run     powers(a, b, out)      grid 256   group 64
// run     sieve(primes, 2048)    grid 1024  group 64
ulong product(ulong a, ulong b, ulong n, ulong inverse)
{
    const ulong low = a * b, m = low * inverse, carry = low != 0;
    const ulong high = mul_hi(a, b) + mul_hi(m, n) + carry;
    return high >= n ? high - n : high;
}

kernel void powers(global const ulong* as, global const ulong* bs, global ulong* out)
{
    const int i = get_global_id(0);
    ulong x = as[i] >> (i & 31), y = bs[i] >> (i & 15) | 1;
    while (y) {
        const ulong t = x % y;
        x = y, y = t;
    }
    out[3 * i] = x;
    const ulong n = as[i] >> 2 | 1;
    ulong inverse = n;
    for (int k = 0; k < 5; k++) inverse *= 2 - n * inverse;
    ulong one = (ulong)-1 % n + 1;
    if (one == n) one = 0;
    ulong base = bs[i] % n, result = one;
    for (ulong e = as[i] >> 40 | 1; e; e >>= 1) {
        if (e & 1) result = product(result, base, n, -inverse);
        base = product(base, base, n, -inverse);
    }
    out[3 * i + 1] = result;
    const uint odd = (uint)bs[i] >> 18 | 1;
    uint least = 3;
    while (least * least <= odd && odd % least) least += 2;
    out[3 * i + 2] = least * least > odd ? odd : least;
}

kernel void sieve(global int* primes, int part)
{
    local uchar composite[128];
    const int l = get_local_id(0), base = (int)get_group_id(0) * 128;
    composite[l] = composite[l + 64] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int p = l + 2;
    if (p * p < part)
        for (int m = max(p * p, (base + p - 1) / p * p); m < base + 128; m += p) composite[m - base] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int count = 0;
        for (int k = 0; k < 128; k++) count += base + k > 1 && !composite[k];
        primes[get_group_id(0)] = count;
    }
}
