#include "textflag.h"

// func here() (self, stack uintptr)
TEXT ·here(SB), NOSPLIT, $0-16
	MOVQ (TLS), AX
	MOVQ AX, self+0(FP)
	LEAQ self+0(FP), AX
	MOVQ AX, stack+8(FP)
	RET

// func warm(self, stack uintptr, next func() (struct{}, bool))
TEXT ·warm(SB), NOSPLIT, $0-24
	MOVQ self+0(FP), AX
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	MOVQ stack+8(FP), AX
	PREFETCHT0 -128(AX)
	PREFETCHT0 -64(AX)
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	PREFETCHT0 192(AX)
	MOVQ next+16(FP), AX
	PREFETCHT0 (AX)
	RET
