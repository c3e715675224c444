// Which nodes of a graph hang together: trees of the least node, joined by atomic minima, and then flattened.
// buffer  edges   int[1024]  = (i // 2 * 7 + (i % 2) * (i // 2 % 4) * 128) % 512
// buffer  parent  int[512]   = i
// run     join(edges, parent)   grid 512  group 64
// run     flatten(parent)       grid 512  group 64
kernel void join(global const int* edges, volatile global int* parent)
{
    const int i = get_global_id(0);
    int a = edges[2 * i], b = edges[2 * i + 1];
    for (;;) {
        while (parent[a] != a) a = parent[a];
        while (parent[b] != b) b = parent[b];
        if (a == b) break;
        const int high = max(a, b), low = min(a, b);
        const int old = atomic_cmpxchg(parent + high, high, low);
        if (old == high) break;
        a = low, b = old;
    }
}

kernel void flatten(global int* parent)
{
    const int i = get_global_id(0);
    int root = i;
    while (true) {
        const int up = atomic_min((volatile global int*)parent + root, 1 << 20);
        if (up == root) break;
        root = up;
    }
    atomic_min((volatile global int*)parent + i, root);
}
