// From every number to every other, as C does it: floats are cut off, integers lose their upper bits.
// buffer  a  long[1024]    edges
// buffer  f  float[1024]   random -1000 1000
// buffer  r  long[26624]   zero
// buffer  q  float[6144]   zero
// buffer  d  double[7168]  zero
// run     of_integers(a, r, q, d)  grid 1024   group 64
// run     of_floats(f, r, d)       grid 1024   group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void of_integers(global const long* as, global long* r, global float* q, global double* d)
{
    const size_t i = get_global_id(0);
    const long a = as[i];
    r += 26 * i, q += 6 * i, d += 7 * i;
    r[0] = (char)a, r[1] = (uchar)a, r[2] = (short)a, r[3] = (ushort)a, r[4] = (int)a, r[5] = (uint)a, r[6] = (bool)a;
    q[0] = (float)(char)a, q[1] = (float)(ushort)a, q[2] = (float)(int)a, q[3] = (float)(uint)a, q[4] = (float)a, q[5] = (float)(ulong)a;
    d[0] = (double)(short)a, d[1] = (double)(uchar)a, d[2] = (double)(int)a, d[3] = (double)(uint)a, d[4] = (double)a, d[5] = (double)(ulong)a;
}

kernel void of_floats(global const float* f, global long* r, global double* d)
{
    const size_t i = get_global_id(0);
    const float x = f[i] * 100.0f, p = fabs(x);
    const double y = (double)x * 1e10, z = fabs(y);
    r += 26 * i, d += 7 * i;
    r[7] = (char)(f[i] / 10.0f), r[8] = (uchar)(fabs(f[i]) / 5.0f), r[9] = (short)(f[i] * 30.0f), r[10] = (ushort)(p / 2.0f);
    r[11] = (int)(x * 1000.0f), r[12] = (uint)(p * 2000.0f), r[13] = (long)(x * 1e10f), r[14] = (ulong)(p * 1e11f);
    r[15] = (int)(y * 1e-6), r[16] = (uint)(z * 1e-6), r[17] = (long)y, r[18] = (ulong)z, r[19] = (short)x == (short)y;
    r[20] = (int)rint(x), r[21] = (int)floor(x), r[22] = (int)ceil(x), r[23] = (uchar)(char)x, r[24] = as_int(x), r[25] = as_long(y);
    d[6] = (double)(float)(y / 3.0);
}
