// Loads and stores of 1 to 16 bytes, aligned and not, with and without sign, in global and in local memory.
// buffer  a    uchar[2112]  bits
// buffer  out  uchar[8192]  zero
// run     widths(a, out)   grid 64  group 64
kernel void widths(global const uchar* a, global uchar* out)
{
    local uchar t[64 * 32];
    const int l = get_local_id(0);
    global const uchar* p = a + 32 * l;
    ((local uchar16*)t)[2 * l] = ((global const uchar16*)p)[0];
    ((local uint4*)t)[2 * l + 1] = ((global const uint4*)p)[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    global int* q = (global int*)(out + 128 * l);
    local const uchar* other = t + 32 * (63 - l);
    q[0] = ((local const char*)other)[5], q[1] = ((local const short*)other)[3], q[2] = ((local const ushort*)other)[7], q[3] = ((global const char*)p)[9];
    q[4] = ((global const short*)p)[2], q[5] = other[3], q[6] = ((local const int*)other)[4], q[7] = p[31];
    ((global long*)q)[4] = ((local const long*)other)[1];
    ((global ulong2*)q)[3] = ((local const ulong2*)other)[1];
    const int3 three = vload3(2 * l, (global const int*)a);
    vstore3(three + 1, 0, q + 16);
    const short4 four = vload4(0, (global const short*)(a + 2 * l));
    vstore4(four * (short)3, 0, (global short*)(q + 20));
    const uchar8 eight = vload8(0, a + l);
    vstore8(~eight, 0, (global uchar*)(q + 23) + 1);
    ((global char*)q)[110] = (char)l, ((global short*)q)[57] = (short)(l * 300);
}
