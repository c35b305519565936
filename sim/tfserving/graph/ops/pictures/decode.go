package pictures

import (
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// decoders holds the decoders of images. Pixels of a JPEG may differ from TensorFlow's by rounding.
var decoders = map[string]ops.Kernel{"DecodeJpeg": decodeImage, "DecodePng": decodeImage, "DecodeImage": decodeImage}

func decodeImage(c *ops.Call) ([]ops.Value, error) {
	if c.In[0].Rank() != 0 {
		return nil, ops.Invalidf("`contents` must be scalar but got shape%s", value.ShapeText(c.In[0].Shape()))
	}
	data := c.In[0].S()[0]
	if data == "" {
		return nil, ops.Invalidf("Input is empty.")
	}
	if !knownImage(data) {
		return nil, ops.Invalidf("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")
	}
	config, format, err := image.DecodeConfig(strings.NewReader(data))
	if strings.HasPrefix(data, pngMagic) && !strings.Contains(data, "IDAT") {
		return nil, ops.Invalidf("Invalid PNG. Failed to initialize decoder.")
	}
	channels := c.Number("channels")
	switch {
	case err == nil && (format == "gif" || format == "bmp"), strings.HasPrefix(data, "BM"):
		return nil, c.Unsupported("format %s", format)
	case c.TypeOf("dtype") != 0 && c.TypeOf("dtype") != value.UInt8:
		return nil, c.Unsupported("another dtype")
	}
	if err != nil {
		return nil, ops.Invalidf("%s", brokenImage(data))
	}
	if channels == 0 {
		if channels = channelsOf(config.ColorModel); channels == 0 {
			return nil, c.Unsupported("a colour model")
		}
	}
	shape := []int{config.Height, config.Width, channels}
	n, roomErr := c.Room(value.UInt8, shape)
	if roomErr != nil {
		return nil, roomErr
	}
	picture, _, err := image.Decode(strings.NewReader(data))
	if err != nil {
		return nil, ops.Invalidf("%s", brokenImage(data))
	}
	list := make([]int64, 0, n)
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			list = appendPixel(list, picture.At(x, y), channels)
		}
	}
	return ops.One(value.Ints(value.UInt8, shape, list))
}

func knownImage(data string) bool {
	return slices.ContainsFunc([]string{"\xff\xd8\xff", pngMagic, "GIF8", "BM"}, func(magic string) bool {
		return strings.HasPrefix(data, magic)
	})
}

const pngMagic = "\x89PNG\r\n\x1a\n"

func brokenImage(data string) string {
	if strings.HasPrefix(data, pngMagic) {
		return "Invalid PNG data, size " + strconv.Itoa(len(data))
	}
	return "Invalid JPEG data or crop window, data size " + strconv.Itoa(len(data))
}

func channelsOf(model color.Model) int {
	switch model {
	case color.GrayModel, color.Gray16Model:
		return 1
	case color.NRGBAModel, color.NRGBA64Model:
		return 4
	case color.RGBAModel, color.RGBA64Model, color.YCbCrModel:
		return 3
	}
	return 0
}

func appendPixel(list []int64, at color.Color, channels int) []int64 {
	if channels == 1 {
		return append(list, int64(color.GrayModel.Convert(at).(color.Gray).Y))
	}
	p := color.NRGBAModel.Convert(at).(color.NRGBA)
	list = append(list, int64(p.R), int64(p.G), int64(p.B))
	if channels == 4 {
		list = append(list, int64(p.A))
	}
	return list
}
