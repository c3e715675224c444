// Rays from an eye to spheres: the nearest is found, its light and its shadow, with roots and quotients in doubles.
// buffer  spheres  double[64]   random -2 2
// buffer  image    double[768]  zero
// run     draw(spheres, image, 32)   grid 32, 24  group 8, 8
#pragma OPENCL FP_CONTRACT OFF
double inner(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

double hit(double4 sphere, double3 from, double3 along)
{
    const double3 away = from - (double3)(sphere.x, sphere.y, sphere.z + 6.0);
    const double b = inner(away, along), c = inner(away, away) - (sphere.w * sphere.w * 0.3 + 0.2), d = b * b - c;
    if (d < 0.0) return -1.0;
    const double r = sqrt(d);
    return -b - r > 1e-9 ? -b - r : -b + r > 1e-9 ? -b + r : -1.0;
}

kernel void draw(constant double4* spheres, global double* image, int width)
{
    const int x = get_global_id(0), y = get_global_id(1);
    double3 along = (double3)((x - 16) / 16.0, (y - 12) / 16.0, 1.5), from = 0.0;
    along = along / sqrt(inner(along, along));
    double light = 0.0, share = 1.0;
    for (int bounce = 0; bounce < 3; bounce++) {
        double nearest = 1e30;
        int which = -1;
        for (int k = 0; k < 16; k++) {
            const double t = hit(spheres[k], from, along);
            if (t > 0.0 && t < nearest) nearest = t, which = k;
        }
        if (which < 0) {
            light += share * (along.y * 0.5 + 0.5);
            break;
        }
        from = from + along * nearest;
        const double3 centre = (double3)(spheres[which].x, spheres[which].y, spheres[which].z + 6.0);
        double3 normal = from - centre;
        normal = normal / sqrt(inner(normal, normal));
        const double3 lamp = (double3)(0.48, -0.64, -0.6);
        int dark = inner(normal, lamp) <= 0.0;
        for (int k = 0; k < 16 && !dark; k++) dark = k != which && hit(spheres[k], from, lamp) > 0.0;
        if (!dark) light += share * inner(normal, lamp) * 0.7;
        along = along - normal * (2.0 * inner(normal, along));
        share *= 0.4;
    }
    image[y * width + x] = light;
}
