package lint

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamesInReplies: a surname that isn't published, and a greeting to somebody else.
func TestNamesInReplies(t *testing.T) {
	for _, test := range []struct{ author, reply, want string }{
		{"Darek M.", "Dziękujemy, Panie Dariuszu Malinowski! Zapraszamy.", "Malinowski"},
		{"Darek M.", "Panie Malinowski, dziękujemy.", "Malinowski"},
		{"Horst M.", "Sehr geehrter Herr Maier, danke.", "Maier"},
		{"Horst M.", "Lieber Horst Maier, danke.", "Maier"},
		{"Susan M.", "Dear Mrs. Miller, thank you", "Miller"},
		{"Susan M.", "Thank you, Susan. Many thanks from Mike", ""},
		{"Anna S.", "Liebe Anna, Sie sind die Beste. Danke Anna Sie auch", ""},
		{"Susan M.", "Dear Mrs. M., thank you", ""},
		{"Susan Miller", "Dear Mrs. Miller, thank you", ""},
		{"Susan", "Dear Mrs. Miller, thank you", ""},
		{"Max L.", "Danke Max, Herr Lehner hat sich gefreut", ""}, // of the staff
		{"Peter M.", "Liebe Anna, danke für das Lob!", "Anna"},
		{"Peter M.", "Thank you so much Anna, see you", "Anna"},
		{"Peter M.", "Dear Anna", "Anna"},
		{"Peter M.", "Hallo Sepp, danke", ""}, // of the staff
		{"Annabel M.", "Liebe Anna, danke für das Lob!", ""},
		{"Jana N.", "Dobrý den, paní Horáková, děkujeme.", "Horáková"},
		{"Jana N.", "Dobrý den, paní Jano, paní Nováková.", "Nováková"},
		{"Jana N.", "Dear Mrs Huber, thank you", "Huber"},
		{"Jana N.", "Sehr geehrte Frau Dr. Neumann, Frau Huber war da", "Neumann"},
		{"Jana N.", "Sehr geehrte Frau Dr. Huber, danke", "Huber"},
		{"Jana", "Dear Mrs Huber, thank you", ""},
		{"Jana N.", "Thank you, Mr Smith will call you.", ""},
		{"Jana N.", "Thank you. Mr Smith will call you.", ""},
		{"Jana N.", "Dear Mr Lehner, thank you", ""}, // of the staff
		{"Peter M.", "Danke Google, danke Anna", ""},
		{"Peter M.", "Hello Hello", ""},
		{"Anonymous", "Hello Anna", "Anna"},
		{"Peter M.", "Pozdrawiamy Pana Marka i zapraszamy. Herr Montag, Mr Good", ""},
		{"Eva D.", "Liebe Eva, Danke! Herzlich Eva", ""},
		{"Eva D.", "Hallo Eva Das freut uns", ""},
		{"Li W.", "Dear Li, We thank you. Like Wine? Live Well!", ""},
		{"Jo K.", "Thanks Jo! Join Kids club. Just Kidding.", ""},
	} {
		var got []string
		for _, p := range checked(t, map[string]string{
			"business.yaml":  "id: a\nname: A\ntechnicians: [{id: sepp, name: Sepp Lehner}, {id: marek, name: Marek Wrona}]\n",
			"reviews/a.yaml": fmt.Sprintf("- {id: a, author: Anna S., rating: 5, date: 2026-01-02, verification: {method: job}}\n- {id: r, author: %q, rating: 5, date: 2026-01-02, verification: {method: job}, owner_reply: {date: 2026-01-03, text: %q}}\n", test.author, test.reply),
		}) {
			if p.Code == "name-in-text" || p.Code == "other-name" {
				_, quoted, _ := strings.Cut(p.Message, `"`)
				quoted, _, _ = strings.Cut(quoted, `"`)
				got = append(got, quoted)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s, %q: got %q, want %q", test.author, test.reply, got, test.want)
		}
	}
}
