package diagnostic

import "testing"

func TestMojibake(t *testing.T) {
	for text, want := range map[string][2]string{
		"TrÃ¨s bien": {"Ã¨", "è"}, "I donâ€™t know": {"â€™", "’"}, "20Â°C": {"Â°", "°"}, "cafÃ©": {"Ã©", "é"}, "â€œFineâ€\u009d": {"â€œ", "“"}, "1â‚¬": {"â‚¬", "€"},
		"ï»¿Ime": {"ï»¿", "\uFEFF"}, "JoÅ¾e": {"Å¾", "ž"}, "KovaÄ\u008d": {"Ä\u008d", "č"}, "Å\u00a0pela": {"Å\u00a0", "Š"}, "Å‚atwy": {"Å‚", "ł"}, "siÄ™": {"Ä™", "ę"}, "sÄ… dobrzy": {"Ä…", "ą"}, "Å»aneta": {"Å»", "Ż"}, "KOVAÄŒ": {"ÄŒ", "Č"}, "È™i": {"È™", "ș"},
		"Ð¾Ñ‡ÐµÐ½ÑŒ": {"Ð¾", "о"}, "ÎºÎ±Î¹": {"Îº", "κ"}, "super ðŸ˜€": {"ðŸ˜€", "😀"},
		"HYVÄ…": {}, "«Å»": {}, "TILL Å – Ö": {}, "i Å\u00a0kommun": {"Å\u00a0", "Š"}, "SKÅ…": {}, "CAFÉ®": {}, "BRÄ“": {}, "zażółć gęślą jaźń": {}, "Žižek, Őze, Ştefan": {}, "очень хорошо…": {}, "και": {}, "😀😀": {},
		"Très bien": {}, "don’t": {}, "CAFÉ…": {}, "«Ça va»": {}, "Ã": {}, "plain": {}, "": {}, "naïve — “yes”": {}, "São João": {}, "ÄÖÜ äöü ß": {}, "名前": {}, "À côté d’Â": {}, "é»": {},
	} {
		if garbled, meant := Mojibake(text); garbled != want[0] || meant != want[1] {
			t.Errorf("%s: %q for %q, want %q", text, garbled, meant, want)
		}
	}
}
