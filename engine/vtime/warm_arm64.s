#include "textflag.h"

// func here() (self, stack uintptr)
TEXT ·here(SB), NOSPLIT, $0-16
	MOVD g, self+0(FP)
	MOVD $self+0(FP), R0
	MOVD R0, stack+8(FP)
	RET

// func warm(self, stack uintptr, next func() (struct{}, bool))
TEXT ·warm(SB), NOSPLIT, $0-24
	MOVD self+0(FP), R0
	PRFM (R0), PLDL1KEEP
	PRFM 64(R0), PLDL1KEEP
	PRFM 128(R0), PLDL1KEEP
	MOVD stack+8(FP), R0
	SUB  $128, R0
	PRFM (R0), PLDL1KEEP
	PRFM 64(R0), PLDL1KEEP
	PRFM 128(R0), PLDL1KEEP
	PRFM 192(R0), PLDL1KEEP
	PRFM 256(R0), PLDL1KEEP
	PRFM 320(R0), PLDL1KEEP
	MOVD next+16(FP), R0
	PRFM (R0), PLDL1KEEP
	RET
