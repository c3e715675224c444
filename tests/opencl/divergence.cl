// Branches within branches within loops, whose conditions differ from lane to lane, with breaks and continues on the way.
// buffer  a    int[1024]  random 0 1000000
// buffer  out  int[2048]  zero
// run     nested(a, out)    grid 1024  group 64
// run     collatz(a, out)   grid 1024  group 256
kernel void nested(global const int* a, global int* out)
{
    const int i = get_global_id(0);
    int x = a[i], sum = 0;
    for (int k = 0; k < (x & 15); k++) {
        if (x & 1) {
            if (x & 2) {
                for (int j = 0; j < (x >> 4 & 7); j++) {
                    if ((j ^ i) == 3) break;
                    sum += j * k;
                }
            } else if (i % 3 == 0) {
                sum ^= x;
            } else {
                sum -= k;
                if (sum < -100) continue;
            }
        } else if (x % 5 == 2) {
            sum = sum * 3 + 1;
            break;
        }
        x = x * 1664525 + 1013904223 + i;
        if (x < 0) x = -x;
    }
    out[i] = sum + x;
}

kernel void collatz(global const int* a, global int* out)
{
    const int i = get_global_id(0);
    uint x = a[i] + 1, steps = 0;
    while (x != 1 && steps < 400) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[1024 + i] = steps;
}
