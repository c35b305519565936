package rapidjson

import "fmt"

// These are the parse errors, with the texts of RapidJSON's error/en.h.
const (
	DocumentEmpty       = "The document is empty."
	RootNotSingular     = "The document root must not be followed by other values."
	ValueInvalid        = "Invalid value."
	ObjectMissName      = "Missing a name for object member."
	ObjectMissColon     = "Missing a colon after a name of object member."
	ObjectMissComma     = "Missing a comma or '}' after an object member."
	ArrayMissComma      = "Missing a comma or ']' after an array element."
	UnicodeEscapeHex    = `Incorrect hex digit after \u escape in string.`
	SurrogateInvalid    = "The surrogate pair in string is invalid."
	EscapeInvalid       = "Invalid escape character in string."
	StringMissQuotation = "Missing a closing quotation mark in string."
	NumberTooBig        = "Number too big to be stored in double."
	NumberMissFraction  = "Miss fraction part in number."
	NumberMissExponent  = "Miss exponent in number."
	Termination         = "Terminate parsing due to Handler error."
)

// ParseError says where and why a text is not JSON.
type ParseError struct {
	Text   string // Text is one of the constants above
	Offset int    // Offset is in bytes, as RapidJSON counts it
}

func (e *ParseError) Error() string { return fmt.Sprintf("%s at offset: %d", e.Text, e.Offset) }
