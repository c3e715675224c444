// Potentials of charged atoms at places of a grid, of atoms that are near enough: roots in doubles; after Parboil's cutcp.
// buffer  atoms  float[512]    random 0 8
// buffer  grid   double[512]   zero
// run     potential(atoms, grid, 128, 0.5f, 9.0f)   grid 8, 8, 8  group 8, 4, 2
#pragma OPENCL FP_CONTRACT OFF
kernel void potential(constant float4* atoms, global double* grid, int n, float spacing, float cut)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        const float u = atoms[k].x - x * spacing, v = atoms[k].y - y * spacing, w = atoms[k].z - z * spacing;
        const float square = u * u + v * v + w * w;
        if (square < cut && square > 0.0f) {
            const double bend = 1.0 - (double)square / cut;
            sum += (double)atoms[k].w / sqrt((double)square) * bend * bend;
        }
    }
    grid[(z * 8 + y) * 8 + x] = sum;
}
