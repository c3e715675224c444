// Keys are looked for in a tree of nodes with up to 4 keys each, by way of a structure in memory; after Rodinia's b+tree. Node
// k has the children 5 k + 1 to 5 k + 5, and its keys are where an equal division puts them.
// buffer  wanted  int[512]   random 0 3124
// buffer  answer  int[1024]  zero
// buffer  nodes   int[3905]  = 0
// run     plant(nodes)                   grid 1    group 1
// run     find(nodes, wanted, answer)    grid 512  group 64
typedef struct {
    int keys[4];
    int first;
} Node;

kernel void plant(global Node* nodes)
{
    int width = 3125, level_first = 0, level_nodes = 1;
    for (int level = 0; level < 5 && level_first + level_nodes <= 781; level++) {
        for (int k = 0; k < level_nodes; k++) {
            for (int j = 0; j < 4; j++) nodes[level_first + k].keys[j] = k * width + (j + 1) * (width / 5);
            nodes[level_first + k].first = k * width;
        }
        level_first += level_nodes, level_nodes *= 5, width /= 5;
    }
}

kernel void find(global const Node* nodes, global const int* wanted, global int* answer)
{
    const int i = get_global_id(0), key = wanted[i];
    int at = 0, steps = 0;
    while (at < 781) {
        int child = 0;
        while (child < 4 && key >= nodes[at].keys[child]) child++, steps++;
        if (5 * at + 1 + child >= 781) break;
        at = 5 * at + 1 + child;
    }
    answer[2 * i] = nodes[at].first;
    answer[2 * i + 1] = at * 16 + steps;
}
