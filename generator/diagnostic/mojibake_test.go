package diagnostic

import "testing"

func TestMojibake(t *testing.T) {
	for text, want := range map[string][2]string{
		"TrÃ¨s bien": {"Ã¨", "è"}, "I donâ€™t know": {"â€™", "’"}, "20Â°C": {"Â°", "°"}, "cafÃ©": {"Ã©", "é"}, "â€œFineâ€\u009d": {"â€œ", "“"}, "1â‚¬": {"â‚¬", "€"},
		"Très bien": {}, "don’t": {}, "CAFÉ…": {}, "«Ça va»": {}, "Ã": {}, "plain": {}, "": {}, "naïve — “yes”": {}, "São João": {}, "ÄÖÜ äöü ß": {}, "名前": {}, "À côté d’Â": {}, "é»": {},
	} {
		if garbled, meant := Mojibake(text); garbled != want[0] || meant != want[1] {
			t.Errorf("%s: %q for %q, want %q", text, garbled, meant, want)
		}
	}
}
