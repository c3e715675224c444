// Products, lengths and directions of vectors, mixtures and steps: floats whose order of operations is the library's.
// library
// buffer  a  float[1024]  random -10 10
// buffer  b  float[1024]  random -10 10
// buffer  r  float[2048]  zero  within 0.0002
// buffer  s  float[1024]  zero  within 0.000002
// run     products(a, b, r)   grid 256  group 64
// run     mixtures(a, b, s)   grid 256  group 64
kernel void products(global const float4* as, global const float4* bs, global float* r)
{
    const int i = get_global_id(0);
    const float4 a = as[i], b = bs[i];
    r += 8 * i;
    r[0] = dot(a, b), r[1] = length(a), r[2] = distance(a.xyz, b.xyz);
    vstore3(normalize(a.xyz), 0, r + 3);
    const float4 c = cross(a, b);
    r[6] = c.x + c.w, r[7] = c.y - c.z;
}

kernel void mixtures(global const float4* as, global const float4* bs, global float4* s)
{
    const int i = get_global_id(0);
    const float4 a = as[i], b = bs[i];
    s[i] = (float4)(mix(a.x, b.x, 0.25f) * 0.1f, smoothstep(-5.0f, 5.0f, a.y), step(a.z, b.z) + sign(a.w), clamp(a.w, -1.0f, 1.0f) + radians(b.w));
}
