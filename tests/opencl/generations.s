; What differs between the generations, for the programs in assembly beside this: GENERATION is 6 to 9.
.if GENERATION >= 8
UNIT = 1                        ; scalar loads count in bytes, or in words
.else
UNIT = 4
.endif

; 32 bits and 64 bits of a sum, with the carry in vcc.
.macro add_low to, a, b
.if GENERATION == 9
    v_add_co_u32 \to, vcc, \a, \b
.elseif GENERATION == 8
    v_add_u32 \to, vcc, \a, \b
.else
    v_add_i32 \to, vcc, \a, \b
.endif
.endm
.macro add_high to, a, b
.if GENERATION == 9
    v_addc_co_u32 \to, vcc, \a, \b, vcc
.else
    v_addc_u32 \to, vcc, \a, \b, vcc
.endif
.endm

; v[20:21] = the address in two scalar registers plus a number of bytes.
.macro address low, high, bytes
    v_mov_b32 v21, \high
    add_low v20, \low, \bytes
    add_high v21, 0, v21
.endm

; Memory at v[20:21]. The oldest generation has it through a buffer's description only: base 0, no end.
.macro begin_memory
.if GENERATION == 6
    s_mov_b64 s[12:13], 0
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0xf000
.endif
.endm
.macro memory operation, datum
.if GENERATION == 6
    buffer_\operation \datum, v[20:21], s[12:15], 0 addr64
.else
    memory_operand_\operation \datum
.endif
.endm
.macro memory_operand_load_ubyte datum
    flat_load_ubyte \datum, v[20:21]
.endm
.macro memory_operand_load_dword datum
    flat_load_dword \datum, v[20:21]
.endm
.macro memory_operand_store_byte datum
    flat_store_byte v[20:21], \datum
.endm
.macro memory_operand_store_dword datum
    flat_store_dword v[20:21], \datum
.endm

; A kernel whose arguments are at s[0:1], and whose group is in s2.
.macro kernel name, bytes, private=0, local=0
.rodata
.balign 64
.amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size \bytes
    .amdhsa_group_segment_fixed_size \local
    .amdhsa_next_free_vgpr 24
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.text
.balign 256
.global \name
.type \name, @function
\name:
.endm
