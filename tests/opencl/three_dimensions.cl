// All that a work-item can ask for about its place, in three dimensions.
// buffer  out  int[9408]  zero
// run     places(out)   grid 8, 12, 14   group 4, 3, 2
kernel void places(global int* out)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int at = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out += 7 * at;
    out[0] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    out[1] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    out[2] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    out[3] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
    out[4] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2);
    out[5] = get_global_offset(0) + get_global_offset(1) + get_global_offset(2);
    out[6] = x + 100 * y + 10000 * z;
}
