"""Lines for the scalar instructions, made by rule: every operand in every kind of place, and the edges of every number."""

SCALAR = ([f's{n}' for n in range(106)] + [f's[{n}]' for n in (0, 101, 103)] + [f's[{n}:{n}]' for n in (0, 5)] +
          [f'ttmp{n}' for n in range(17)] + ['ttmp[3]', 'ttmp[3:3]', '[s5]', '[ttmp5]', 'm0', 'null', 'S7', 'VCC_LO', 'v1'] +
          [name + half for name in ('flat_scratch', 'xnack_mask', 'vcc', 'tba', 'tma', 'exec') for half in ('_lo', '_hi', '')])
PAIRS = ([f's[{n}:{n + 1}]' for n in range(105)] + [f'ttmp[{n}:{n + 1}]' for n in range(16)] +
         ['[s4, s5]', '[s5,s6]', '[ttmp2,ttmp3]', '[vcc_lo,vcc_hi]', '[exec_lo,exec_hi]', '[flat_scratch_lo,flat_scratch_hi]',
          '[tba_lo,tba_hi]', '[tma_lo,tma_hi]', '[xnack_mask_lo,xnack_mask_hi]', 's4', 'm0', 'null', 's[4:6]', 's[5:4]',
          'v[2:3]', 'flat_scratch', 'xnack_mask', 'vcc', 'tba', 'tma', 'exec', 'vcc_lo', 's[4:7]'])
RUNS = {4: [f's[{n}:{n + 3}]' for n in range(0, 104)] + [f'ttmp[{n}:{n + 3}]' for n in range(0, 14)],
        8: [f's[{n}:{n + 7}]' for n in range(0, 100, 2)] + [f'ttmp[{n}:{n + 7}]' for n in range(0, 12, 2)],
        16: [f's[{n}:{n + 15}]' for n in range(0, 92, 2)] + ['ttmp[0:15]']}
INLINE = ([str(n) for n in range(-17, 66)] +
          ['0.5', '-0.5', '1.0', '-1.0', '2.0', '-2.0', '4.0', '-4.0', '0.15915494', '0.15915494309189532', '-0.15915494', '0.0',
           '8.0', '-8.0'] +
          [prefix + name for name in ('shared_base', 'shared_limit', 'private_base', 'private_limit', 'pops_exiting_wave_id',
                                      'vccz', 'execz', 'scc', 'lds_direct') for prefix in ('', 'src_')])
LITERALS = ['65', '-17', '100', '0x7fffffff', '0x80000000', '0xffff', '0xffff0000', '0xffffffef', '4294967295', '4294967280', '4294967279',
            '4294967296', '-2147483648', '-2147483649', '0xffffffff80000000', '0xffffffff7fffffff', '0xfffffffffffffff0',
            '0xffffffffffffffff', '0x8000000000000000', '0x3f000000', '0xbf000000', '0x3f800000', '0xbf800000', '0x40000000',
            '0xc0000000', '0x40800000', '0xc0800000', '0x3e22f983', '0x3fe0000000000000', '0x3ff0000000000000',
            '0xc010000000000000', '0x3fc45f306dc9c882', '0x3800', '0x3c00', '1.5', '0.3', '-3.25', '1.0e10', '1.0e30', '1.0e300',
            '1.0e-40', '1.0e-300', '-0.0', '0x1.8p1', '1e2', '3.0e38', '3.5e38', '1.17549435e-38']

NUMBERS16 = ['0', '1', '64', '65', '255', '32767', '32768', '65535', '65536', '-1', '-16', '-17', '-32768', '-32769', '0xffff', '0x8000',
             '1.0', 's0', '0xffffffffffffffff', '0xffffffffffff8000']
OFFSETS = ['0', '1', '255', '256', '0xfffff', '0x100000', '0x1fffff', '0x200000', '0x7fffffff', '0xffffffff', '0x100000000', '-1', '-4',
           '-0x100000', '-0x100001', '-2147483648', '1.0', '64', '-16']


def operands():
    for s in SCALAR + INLINE + LITERALS:
        yield f's_mov_b32 s0, {s}'
        yield f's_add_u32 s0, {s}, s1'
        yield f's_add_u32 s0, s1, {s}'
        yield f's_cmp_eq_i32 {s}, s1'
        yield f's_cmp_eq_i32 s1, {s}'
        yield f's_lshl_b64 s[0:1], s[2:3], {s}'
        yield f's_bitcmp1_b64 s[0:1], {s}'
        yield f's_set_gpr_idx_on {s}, 1'
        yield f's_set_gpr_idx_idx {s}'
        yield f's_movrels_b32 s0, {s}'
        yield f's_cbranch_join {s}'
        yield f's_load_dword s0, s[2:3], {s}'
    for s in SCALAR:
        yield f's_mov_b32 {s}, s0'
        yield f's_add_u32 {s}, s0, s1'
        yield f's_movk_i32 {s}, 1'
        yield f's_cmpk_eq_u32 {s}, 1'
        yield f's_getreg_b32 {s}, hwreg(1)'
        yield f's_setreg_b32 hwreg(1), {s}'
        yield f's_load_dword {s}, s[2:3], 1'
        yield f's_store_dword {s}, s[2:3], 1'
        yield f's_atomic_add {s}, s[2:3], 1'
        yield f's_buffer_load_dword s0, s[4:7], {s}'
        yield f's_store_dword s0, s[2:3], {s}'
        yield f's_load_dword s0, s[2:3], {s} offset:4'
        yield f's_dcache_discard s[2:3], {s}'
        yield f's_atc_probe 1, s[2:3], {s}'
    for s in PAIRS + INLINE + LITERALS:
        yield f's_mov_b64 s[0:1], {s}'
        yield f's_and_b64 s[0:1], {s}, s[2:3]'
        yield f's_and_b64 s[0:1], s[2:3], {s}'
        yield f's_cmp_eq_u64 {s}, s[2:3]'
        yield f's_bitcmp1_b64 {s}, s1'
        yield f's_setpc_b64 {s}'
        yield f's_rfe_b64 {s}'
        yield f's_swappc_b64 s[0:1], {s}'
        yield f's_movrels_b64 s[0:1], {s}'
        yield f's_cbranch_g_fork {s}, s[2:3]'
        yield f's_cbranch_g_fork s[2:3], {s}'
        yield f's_rfe_restore_b64 {s}, s1'
    for s in PAIRS:
        yield f's_mov_b64 {s}, s[0:1]'
        yield f's_and_b64 {s}, s[0:1], s[2:3]'
        yield f's_getpc_b64 {s}'
        yield f's_memtime {s}'
        yield f's_memrealtime {s}'
        yield f's_call_b64 {s}, 4'
        yield f's_cbranch_i_fork {s}, 4'
        yield f's_load_dword s0, {s}, 1'
        yield f's_load_dwordx2 {s}, s[2:3], 1'
        yield f's_atomic_cmpswap {s}, s[2:3], 1'
        yield f's_dcache_discard {s}, 1'
    for width, runs in RUNS.items():
        for s in runs:
            yield f's_load_dwordx{width} {s}, s[2:3], 1'
            yield f's_buffer_load_dwordx{width} {s}, s[4:7], s1'
    for s in RUNS[4] + PAIRS:
        yield f's_buffer_load_dword s0, {s}, 1'
        yield f's_atc_probe_buffer 1, {s}, 1'
        yield f's_store_dwordx4 {s}, s[2:3], 1'
        yield f's_atomic_cmpswap_x2 {s}, s[2:3], 1'
    for a in LITERALS:
        for b in ('0x1234', '0xffffffff80000000', '1.5', '0x3fc00000', '0.5', '65'):
            yield f's_add_u32 s0, {a}, {b}'
            yield f's_and_b64 s[0:1], {a}, {b}'
            yield f's_lshl_b64 s[0:1], {a}, {b}'


def immediates():
    for n in NUMBERS16:
        for name in ('s_movk_i32', 's_cmovk_i32', 's_cmpk_eq_i32', 's_cmpk_le_i32', 's_cmpk_lg_u32', 's_cmpk_le_u32', 's_addk_i32',
                     's_mulk_i32'):
            yield f'{name} s5, {n}'
        for name in ('s_nop', 's_setkill', 's_sethalt', 's_sleep', 's_setprio', 's_trap', 's_incperflevel', 's_decperflevel',
                     's_endpgm', 's_waitcnt', 's_sendmsg', 's_sendmsghalt', 's_set_gpr_idx_mode', 's_branch', 's_cbranch_scc0'):
            yield f'{name} {n}'
        yield f's_getreg_b32 s0, {n}'
        yield f's_setreg_b32 {n}, s0'
        yield f's_setreg_imm32_b32 {n}, 5'
        yield f's_call_b64 s[0:1], {n}'
        yield f's_set_gpr_idx_on s0, {n}'
    for n in LITERALS + INLINE:
        yield f's_setreg_imm32_b32 hwreg(1), {n}'
    for name in ('s_endpgm', 's_endpgm_saved', 's_endpgm_ordered_ps_done', 's_barrier', 's_wakeup', 's_icache_inv', 's_ttracedata',
                 's_set_gpr_idx_off', 's_dcache_inv', 's_dcache_inv_vol', 's_dcache_wb', 's_dcache_wb_vol', 's_nop', 's_waitcnt',
                 's_sendmsg', 's_branch', 's_memtime'):
        yield name
        yield f'{name} 0'
        yield f'{name} glc'
    for mask in range(16):
        names = [name for bit, name in enumerate(('SRC0', 'SRC1', 'SRC2', 'DST')) if mask >> bit & 1]
        for order in (names, names[::-1]):
            yield f's_set_gpr_idx_on s1, gpr_idx({",".join(order)})'
            yield f's_set_gpr_idx_mode gpr_idx({", ".join(order)})'
    yield 's_set_gpr_idx_mode gpr_idx(SRC0,SRC0)'
    yield 's_set_gpr_idx_mode gpr_idx(SRC3)'


def hardware_registers():
    names = ('MODE', 'STATUS', 'TRAPSTS', 'HW_ID', 'GPR_ALLOC', 'LDS_ALLOC', 'IB_STS', 'SH_MEM_BASES', 'TBA_LO', 'TBA_HI', 'TMA_LO',
             'TMA_HI', 'FLAT_SCR_LO', 'FLAT_SCR_HI', 'XNACK_MASK', 'HW_ID1', 'HW_ID2', 'POPS_PACKER', 'SHADER_CYCLES')
    for register in [f'HW_REG_{name}' for name in names] + [str(n) for n in range(65)] + ['0x3f', '-1', 'MODE', 'STATUS']:
        yield f's_getreg_b32 s1, hwreg({register})'
        yield f's_setreg_b32 hwreg({register}, 3, 5), s1'
        yield f's_setreg_imm32_b32 hwreg({register}, 0, 32), 0x12345678'
    for low in (0, 1, 16, 31, 32, -1):
        for size in (0, 1, 2, 31, 32, 33, -1):
            yield f's_getreg_b32 s1, hwreg(HW_REG_MODE, {low}, {size})'
    yield 's_getreg_b32 s1, hwreg(HW_REG_MODE, 3)'
    yield 's_getreg_b32 s1, hwreg()'


def messages():
    kinds = ['MSG_INTERRUPT', 'MSG_GS', 'MSG_GS_DONE', 'MSG_SAVEWAVE', 'MSG_STALL_WAVE_GEN', 'MSG_HALT_WAVES', 'MSG_ORDERED_PS_DONE',
             'MSG_EARLY_PRIM_DEALLOC', 'MSG_GS_ALLOC_REQ', 'MSG_GET_DOORBELL', 'MSG_GET_DDID', 'MSG_SYSMSG', 'MSG_HS_TESSFACTOR',
             'MSG_DEALLOC_VGPRS'] + [str(n) for n in range(18)]
    operations = ['GS_OP_NOP', 'GS_OP_CUT', 'GS_OP_EMIT', 'GS_OP_EMIT_CUT', 'SYSMSG_OP_ECC_ERR_INTERRUPT', 'SYSMSG_OP_REG_RD',
                  'SYSMSG_OP_HOST_TRAP_ACK', 'SYSMSG_OP_TTRACE_PC'] + [str(n) for n in range(9)]
    for kind in kinds:
        yield f's_sendmsg sendmsg({kind})'
        yield f's_sendmsghalt sendmsg({kind})'
        for operation in operations:
            yield f's_sendmsg sendmsg({kind}, {operation})'
            for stream in ('0', '1', '3', '4'):
                yield f's_sendmsg sendmsg({kind}, {operation}, {stream})'
    for n in range(0, 0x500, 3):
        yield f's_sendmsg {n}'


def counters():
    vmcnt = [f'vmcnt({n})' for n in (0, 1, 14, 15, 16, 31, 62, 63, 64, -1)]
    expcnt = [f'expcnt({n})' for n in (0, 1, 6, 7, 8, -1)]
    lgkmcnt = [f'lgkmcnt({n})' for n in (0, 1, 14, 15, 16, -1)]
    for one in vmcnt + expcnt + lgkmcnt:
        yield f's_waitcnt {one}'
    for v in vmcnt:
        for e in expcnt:
            yield f's_waitcnt {v} {e}'
            yield f's_waitcnt {e}, {v}'
            for l in lgkmcnt:
                yield f's_waitcnt {v} {e} {l}'
                yield f's_waitcnt {l} & {v} & {e}'
    for e in expcnt:
        for l in lgkmcnt:
            yield f's_waitcnt {e}&{l}'
            yield f's_waitcnt {l},{e}, vmcnt(3)'
            yield f's_waitcnt {l} vmcnt(3) {e}'
            yield f's_waitcnt {e} vmcnt(3) {l}'
    for one in ('vmcnt_sat(9)', 'vmcnt_sat(15)', 'expcnt_sat(2)', 'expcnt_sat(7)', 'lgkmcnt_sat(3)', 'lgkmcnt_sat(15)'):
        yield f's_waitcnt {one}'
    yield 's_waitcnt vmcnt(0),'
    yield 's_waitcnt , vmcnt(0)'
    yield 's_waitcnt vmcnt'
    for n in range(0, 65536, 37):
        yield f's_waitcnt {n}'


def memory():
    for n in OFFSETS:
        for name in ('s_load_dword s0, s[2:3]', 's_buffer_load_dword s0, s[4:7]', 's_store_dword s0, s[2:3]', 's_buffer_store_dword s0, s[4:7]',
                     's_scratch_load_dword s0, s[2:3]', 's_scratch_store_dword s0, s[2:3]', 's_atomic_add s0, s[2:3]',
                     's_buffer_atomic_add s0, s[4:7]', 's_atc_probe 3, s[2:3]', 's_atc_probe_buffer 3, s[4:7]', 's_dcache_discard s[2:3]',
                     's_dcache_discard_x2 s[2:3]'):
            yield f'{name}, {n}'
            yield f'{name}, {n} glc'
            yield f'{name}, s9 offset:{n}'
            yield f'{name}, s9 offset:{n} glc'
            yield f'{name}, s9 glc offset:{n}'
    for n in NUMBERS16:
        yield f's_atc_probe {n}, s[2:3], s4'
    for name in ('s_load_dword s0, s[2:3], s4', 's_store_dword s0, s[2:3], s4', 's_buffer_load_dword s0, s[4:7], m0'):
        for modifier in ('glc', 'slc', 'nv', 'tfe', 'glc glc', 'offset:', 'offset'):
            yield f'{name} {modifier}'


def lines():
    for part in (operands, immediates, hardware_registers, messages, counters, memory):
        yield from part()
