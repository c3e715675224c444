// printf of all kinds of numbers, of texts and of vectors, from a part of the lanes, in any order.
// prints
// buffer  a  int[70]  = i * i * 977 - 5000
// run     say(a, 2.5f)   grid 70  group 70
kernel void say(global int* a, float f)
{
    const int i = get_global_id(0);
    if (a[i] % 3 == 0) printf("%d: %d %u %x %c\n", i, a[i], a[i], a[i], 'a' + i % 26);
    else if (a[i] % 3 == 1) printf("item %5d|%-6d|%06d| is %s\n", i, i * 3, a[i], "odd");
    if (i < 4) {
        printf("%.3f %e %g %5.1f%%\n", f * i, f * i * 1000.0f, f / 8, f);
        printf("%ld %lx\n", (long)a[i] << 33, (ulong)a[i]);
    }
    a[i]++;
}
