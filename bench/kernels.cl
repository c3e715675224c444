// Kernels of the bench, for GCN without a device library and for any other device. Groups have one dimension.
#if defined(__AMDGCN__)
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define BARRIER()                                              \
    do {                                                       \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
        __builtin_amdgcn_s_barrier();                          \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
    } while (0)
#define RSQRT(x) __builtin_amdgcn_rsqf(x)
#define ATOMIC_ADD(p, x) __opencl_atomic_fetch_add(p, x, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)
#define COUNTER atomic_uint
#else
#define LOCAL get_local_id(0)
#define GROUP get_group_id(0)
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define RSQRT(x) rsqrt(x)
#define ATOMIC_ADD(p, x) atomic_add(p, x)
#define COUNTER uint
#endif
typedef unsigned int word;

__attribute__((reqd_work_group_size(64, 1, 1))) kernel void mandelbrot(global word* out, word width, float scale, word limit) {
    const word i = GROUP * 64 + LOCAL, x = i % width, y = i / width;
    const float cr = -2.0f + (float)x * scale, ci = -1.5f + (float)y * scale;
    float zr = 0, zi = 0;
    word n = 0;
    while (n < limit) {
        const float a = zr * zr, b = zi * zi;
        if (a + b > 4.0f) break;
        zi = 2 * zr * zi + ci;
        zr = a - b + cr;
        ++n;
    }
    out[i] = n;
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void matrix(global const float* a, global const float* b, global float* out,
                                                                    word n) {
    local float left[256], right[256];
    const word x = LOCAL & 15, y = LOCAL >> 4, across = n / 16;
    const word row = GROUP / across * 16 + y, column = GROUP % across * 16 + x;
    float sum = 0;
    for (word t = 0; t < n; t += 16) {
        left[LOCAL] = a[row * n + t + x];
        right[LOCAL] = b[(t + y) * n + column];
        BARRIER();
        for (word k = 0; k < 16; ++k) sum += left[y * 16 + k] * right[k * 16 + x];
        BARRIER();
    }
    out[row * n + column] = sum;
}

__attribute__((reqd_work_group_size(64, 1, 1))) kernel void bodies(global const float4* p, global float4* out, word n) {
    const word i = GROUP * 64 + LOCAL;
    const float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (word j = 0; j < n; ++j) {
        const float4 other = p[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inverse = RSQRT(dx * dx + dy * dy + dz * dz + 0.01f), s = other.w * inverse * inverse * inverse;
        x += dx * s;
        y += dy * s;
        z += dz * s;
    }
    out[i] = (float4)(x, y, z, 0);
}

constant word rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))

// Of messages of eight bytes: their number, and the same word behind all of them.
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void sha256(global word* out, word salt) {
    const word begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const word i = GROUP * 64 + LOCAL;
    word w[16] = {i, salt, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64};
    word s[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] = begin[k];
#pragma unroll
    for (int k = 0; k < 64; ++k) {
        if (k >= 16) {
            const word x = w[(k + 1) & 15], y = w[(k + 14) & 15];
            w[k & 15] += w[(k + 9) & 15] + (ROTATED(x, 7) ^ ROTATED(x, 18) ^ x >> 3) + (ROTATED(y, 17) ^ ROTATED(y, 19) ^ y >> 10);
        }
        const word first = s[7] + (ROTATED(s[4], 6) ^ ROTATED(s[4], 11) ^ ROTATED(s[4], 25)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[k] + w[k & 15];
        const word second = (ROTATED(s[0], 2) ^ ROTATED(s[0], 13) ^ ROTATED(s[0], 22)) +
                            ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
#pragma unroll
        for (int r = 7; r > 0; --r) s[r] = s[r - 1];
        s[4] += first;
        s[0] = first + second;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) out[i * 8 + k] = begin[k] + s[k];
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void sums(global const float* in, global float* out, word each) {
    local float parts[256];
    const word base = GROUP * 256 * each + LOCAL;
    float sum = 0;
    for (word k = 0; k < each; ++k) sum += in[base + k * 256];
    parts[LOCAL] = sum;
    BARRIER();
    for (word m = 128; m > 0; m >>= 1) {
        if (LOCAL < m) parts[LOCAL] += parts[LOCAL + m];
        BARRIER();
    }
    if (LOCAL == 0) out[GROUP] = parts[0];
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void histogram(global const word* in, global COUNTER* out, word each) {
    local COUNTER bins[256];
    *(local word*)&bins[LOCAL] = 0;
    BARRIER();
    const word base = GROUP * 256 * each + LOCAL;
    for (word k = 0; k < each; ++k) ATOMIC_ADD(&bins[in[base + k * 256] & 255], 1);
    BARRIER();
    ATOMIC_ADD(&out[LOCAL], *(local word*)&bins[LOCAL]);
}

// --- Keys in order: four bits at a time. Each group has 4,096 keys, each of its work-items 16 that follow each other.

#define DIGIT(key, shift) ((key) >> (shift) & 15)
#define KEYS 16

// How many keys of each group have which digit; the digits of all groups lie side by side.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void count_digits(global const word* keys, global word* counts, word shift,
                                                                          word groups) {
    local COUNTER bins[16];
    if (LOCAL < 16) *(local word*)&bins[LOCAL] = 0;
    BARRIER();
    const word base = GROUP * 256 * KEYS + LOCAL;
    for (word k = 0; k < KEYS; ++k) ATOMIC_ADD(&bins[DIGIT(keys[base + k * 256], shift)], 1);
    BARRIER();
    if (LOCAL < 16) counts[LOCAL * groups + GROUP] = *(local word*)&bins[LOCAL];
}

// Of one group's 256 numbers, the sums of those before each.
word sum_before(local word* sums, word mine) {
    sums[LOCAL] = mine;
    BARRIER();
    for (word reach = 1; reach < 256; reach *= 2) {
        const word other = LOCAL >= reach ? sums[LOCAL - reach] : 0;
        BARRIER();
        sums[LOCAL] += other;
        BARRIER();
    }
    return sums[LOCAL] - mine;
}

// One group: where the first key of each group with each digit goes.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void sum_counts(global word* counts, word count) {
    local word sums[256];
    const word each = count / 256;
    word sum = 0;
    for (word k = 0; k < each; ++k) sum += counts[LOCAL * each + k];
    word before = sum_before(sums, sum);
    for (word k = 0; k < each; ++k) {
        const word mine = counts[LOCAL * each + k];
        counts[LOCAL * each + k] = before;
        before += mine;
    }
}

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void move_keys(global const word* keys, global word* moved,
                                                                       global const word* begins, word shift, word groups) {
    local word places[16 * 256], sums[256];
    const word base = (GROUP * 256 + LOCAL) * KEYS;
    for (word d = 0; d < 16; ++d) places[d * 256 + LOCAL] = 0;
    for (word k = 0; k < KEYS; ++k) places[DIGIT(keys[base + k], shift) * 256 + LOCAL] += 1;
    for (word d = 0; d < 16; ++d)
        places[d * 256 + LOCAL] = begins[d * groups + GROUP] + sum_before(sums, places[d * 256 + LOCAL]);
    for (word k = 0; k < KEYS; ++k) {
        const word key = keys[base + k], at = DIGIT(key, shift) * 256 + LOCAL;
        moved[places[at]++] = key;
    }
}

// --- The discrete Fourier transform of many points: four of them in each pass, in order at the end.

float2 product(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// `done` points are transformed together already; `turns` has the circle in as many steps as there are points.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void fourier(global const float2* in, global float2* out,
                                                                     global const float2* turns, word points, word done) {
    const word i = GROUP * 256 + LOCAL, quarter = points / 4, k = i & (done - 1), to = (i - k) * 4 + k, step = k * (quarter / done);
    const float2 a = in[i], b = product(in[i + quarter], turns[step]), c = product(in[i + 2 * quarter], turns[2 * step]),
                 d = product(in[i + 3 * quarter], turns[3 * step]);
    const float2 sum = a + c, difference = a - c, other = b + d, turned = (float2)(b.y - d.y, d.x - b.x);
    out[to] = sum + other;
    out[to + done] = difference + turned;
    out[to + 2 * done] = sum - other;
    out[to + 3 * done] = difference - turned;
}
