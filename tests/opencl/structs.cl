// Structures as arguments, in memory, in arrays and in unions, with members that are not where their size would put them.
// buffer  items  uchar[4096]  random 0 100
// buffer  out    long[512]    zero
// run     structs(items, out, bytes 05 00 00 00 00 00 20 40 0a 14 1e 00 ff ff ff ff 00 01 02 03 04 05 06 07)   grid 128  group 64
typedef struct {
    int a;
    float b;
    uchar c[3];
    int d;
    ulong e;
} Parameters;
typedef struct __attribute__((packed)) {
    uchar kind;
    short value;
    int wide;
    uchar rest[9];
} Packed;
typedef struct {
    Packed first;
    union {
        ulong whole;
        ushort parts[4];
        uchar bytes[8];
    } both;
    char3 last;
} Item;

kernel void structs(global Item* items, global long* out, Parameters p)
{
    const int i = get_global_id(0);
    Item item = items[i % 128];
    item.first.value += p.a * i;
    item.both.parts[i & 3] ^= (ushort)p.d;
    item.last.y = (char)(p.c[i % 3] + item.first.kind);
    Packed other[2] = {item.first, items[(i + 1) % 128].first};
    other[i & 1].wide -= p.a;
    out[4 * i] = other[0].wide + (long)other[1].value * 1000 + other[0].kind;
    out[4 * i + 1] = (long)(item.both.whole ^ p.e);
    out[4 * i + 2] = item.last.x + item.last.y * 100 + item.last.z * 10000 + sizeof(Item) * 1000000;
    out[4 * i + 3] = (long)(p.b * 16.0f) + other[1].rest[8] + item.both.bytes[7];
}
