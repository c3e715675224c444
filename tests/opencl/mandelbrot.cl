// How many steps points of the plane take to leave a circle: floats and doubles whose every operation is rounded by itself.
// buffer  single  uchar[1536]  zero
// buffer  fine    ushort[768]  zero
// run     floats(single, 48, 120)    grid 48, 32  group 16, 8
// run     doubles(fine, 32, 200)     grid 32, 24  group 32, 2
#pragma OPENCL FP_CONTRACT OFF
kernel void floats(global uchar* out, int width, int most)
{
    const int px = get_global_id(0), py = get_global_id(1);
    const float cx = px * 0.0625f - 2.2f, cy = py * 0.075f - 1.2f;
    float x = 0.0f, y = 0.0f;
    int steps = 0;
    while (x * x + y * y <= 4.0f && steps < most) {
        const float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        steps++;
    }
    out[py * width + px] = steps;
}

kernel void doubles(global ushort* out, int width, int most)
{
    const int px = get_global_id(0), py = get_global_id(1);
    const double cx = px * 1e-4 - 0.7453, cy = py * 1e-4 + 0.1127;
    double x = cx, y = cy;
    int steps = 0;
    do {
        const double t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
    } while (x * x + y * y < 4.0 && ++steps < most);
    out[py * width + px] = steps;
}
