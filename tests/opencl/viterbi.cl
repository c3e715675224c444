// The likeliest path through a code of 64 states: a state for each work-item of a group, what is likeliest so far in local
// memory, and then back along what was chosen.
// buffer  received  uchar[96]   = (i * 11 + i * i * 3) % 4
// buffer  chosen    uchar[6144] zero
// buffer  path      uchar[96]   zero
// buffer  cost      int[64]     zero
// run     decode(received, chosen, path, cost, 96)   grid 64  group 64
kernel void decode(global const uchar* received, global uchar* chosen, global uchar* path, global int* cost, int n)
{
    local int now[64], next[64];
    const int s = get_local_id(0);
    now[s] = s ? 1000 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < n; t++) {
        int best = 1 << 30, from = 0;
        for (int b = 0; b < 2; b++) {
            const int before = s >> 1 | b << 5, bits = before << 1 | (s & 1);
            const int sent = (popcount(bits & 0x5b) & 1) | (popcount(bits & 0x79) & 1) << 1;
            const int paid = now[before] + popcount(sent ^ received[t]);
            if (paid < best) best = paid, from = before;
        }
        next[s] = best;
        chosen[t * 64 + s] = from;
        barrier(CLK_LOCAL_MEM_FENCE);
        now[s] = next[s];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    cost[s] = now[s];
    if (s == 0) {
        int at = 0;
        for (int k = 1; k < 64; k++)
            if (now[k] < now[at]) at = k;
        for (int t = n - 1; t >= 0; t--) path[t] = at & 1, at = chosen[t * 64 + at];
    }
}
