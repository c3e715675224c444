// Breadth first search over a graph of 512 nodes with 4 edges each, a level for each pair of launches; after Rodinia's bfs.
// buffer  edges     int[2048]  = (i * 37 + i // 4 * 11 + 5) % 512
// buffer  frontier  int[512]   = int(i == 0)
// buffer  next      int[512]   zero
// buffer  visited   int[512]   = int(i == 0)
// buffer  distance  int[512]   = 0 if i == 0 else -1
// buffer  active    int[12]    zero
// repeat  level = 0 .. 4
//     run expand(edges, frontier, next, visited, distance)        grid 512   group 64
//     run advance(frontier, next, visited, active, level)         grid 512   group 64
kernel void expand(global const int* edges, global int* frontier, global int* next, global const int* visited, global int* distance)
{
    const size_t node = get_global_id(0);
    if (frontier[node]) {
        frontier[node] = 0;
        for (int e = 0; e < 4; e++) {
            const int to = edges[4 * node + e];
            if (!visited[to]) {
                distance[to] = distance[node] + 1;
                next[to] = 1;
            }
        }
    }
}

kernel void advance(global int* frontier, global int* next, global int* visited, global int* active, int level)
{
    const size_t node = get_global_id(0);
    if (next[node]) {
        frontier[node] = 1;
        visited[node] = 1;
        next[node] = 0;
        atomic_inc(active + level);
    }
}
