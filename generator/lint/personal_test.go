package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// codesOf returns the codes and the quoted words of the warnings about a text of a Polish business, other than those of
// the language.
func codesOf(t *testing.T, text string) string {
	t.Helper()
	var got []string
	for _, p := range checked(t, map[string]string{
		"business.yaml": "id: a\nname: Auto Serwis\ntelephone: +48 71 555 01 99\naddress: {street_address: ul. Legnicka 5}\n", "site.yaml": "language: pl\n",
		"reviews/a.yaml": fmt.Sprintf("- {id: r, author: Ada L., rating: 5, date: 2026-01-02, verification: {method: job}, text: %q}\n", text),
	}) {
		if p.Code != "language" {
			_, quoted, _ := strings.Cut(p.Message, `"`)
			got = append(got, p.Code+" "+strings.TrimSuffix(quoted, `"`))
		}
	}
	return strings.Join(slices.Compact(got), "; ")
}

// TestStreets: the address of a customer in the languages of the interface, and what looks like one.
func TestStreets(t *testing.T) {
	for _, test := range []struct{ text, found string }{
		{"Odebrali auto spod domu na ul. Powstańców Śląskich 118/14 i odstawili.", "ul. Powstańców Śląskich 118/14"},
		{"Mieszkam: ulica Kościuszki 5, 50-001 Wrocław", "ulica Kościuszki 5"},
		{"z alei Hallera 12 na Krzyki", "alei Hallera 12"},
		{"pl. Grunwaldzki 3 to nasz adres", "pl. Grunwaldzki 3"},
		{"z ul. 3 Maja 7 m. 4 zabrali", "ul. 3 Maja 7 m. 4"},
		{"na os. Bolesława Chrobrego 4", "os. Bolesława Chrobrego 4"},
		{"Bei uns, Lange Straße 12a, lief es gut.", "Lange Straße 12a"},
		{"Kärntner Ring 5 und Am Opernring 7.", "Kärntner Ring 5"},
		{"in der Münchner Str. 4 in Graz", "Münchner Str. 4"},
		{"in der Bahnhofstrasse 10 in Chur", "Bahnhofstrasse 10"},
		{"Au 12 rue de la République, tout va bien.", "12 rue de la République"},
		{"chez nous, 3 bis avenue Victor Hugo", "3 bis avenue Victor"},
		{"Rue de la Loi 16 à Bruxelles", "Rue de la Loi 16"},
		{"in corso Vittorio Emanuele II 24, terzo piano", "corso Vittorio Emanuele II 24"},
		{"in viale della Libertà, 12 a Roma", "viale della Libertà, 12"},
		{"via XX Settembre 5", "via XX Settembre 5"},
		{"en la calle de Alcalá, 45", "calle de Alcalá, 45"},
		{"vivo en C/ Mayor 12", "C/ Mayor 12"},
		{"na Rua Augusta, nº 120", "Rua Augusta, nº 120"},
		{"Av. Paulista 1578 em São Paulo", "Av. Paulista 1578"},
		{"in de Kerkstraat 12 te Gent", "Kerkstraat 12"},
		{"op de Amstellaan 7", "Amstellaan 7"},
		{"hemma på Storgatan 5", "Storgatan 5"},
		{"på Nørrebrogade 12 i København", "Nørrebrogade 12"},
		{"hos oss i Karl Johans gate 5", "Karl Johans gate 5"},
		{"kotona Mannerheimintie 5", "Mannerheimintie 5"},
		{"bydlíme v Dlouhá ulice 5", "Dlouhá ulice 5"},
		{"na adrese nám. Míru 12", "nám. Míru 12"},
		{"na ulici Štefánikova 8", "ulici Štefánikova 8"},
		{"a Kossuth Lajos utca 12. alatt", "Kossuth Lajos utca 12"},
		{"u nas, Slovenska cesta 12", "Slovenska cesta 12"},
		{"na Trg bana Jelačića 5", "Trg bana Jelačića 5"},
		{"evimiz Atatürk Caddesi No: 12", "Atatürk Caddesi No: 12"},
		{"acasă pe Str. Mihai Eminescu nr. 12", "Str. Mihai Eminescu nr. 12"},
		{"приехали на ул. Ленина, д. 5", "ул. Ленина, д. 5"},
		{"οδός Σταδίου 12", "οδός Σταδίου 12"},
		{"They came to 221 Baker Street.", "221 Baker Street"},
		{"Warsztat na ul. Legnickiej 5 polecam.", ""}, // their own
		{"na Legnickiej przy ul. Legnicka 5/3", "ul. Legnicka 5/3"},
		{"na ul. Legnickiej czekałem, ul. Kościuszki 5 minut drogi", ""},
		{"Durchweg 5 Sterne! Parkplatz 12 war frei, der Weg 5 km.", ""},
		{"Spring 2025 was wet, Catering 5, Offering 3 options.", ""},
		{"Flew via Doha 2 times, via Heathrow Terminal 5, via London 2014.", ""},
		{"Boarding at Gate 12, Katie 5 stars, Auntie 3 pm.", ""},
		{"Smith et al. Jones 2020", ""},
		{"les 2 places, 3 cours de Yoga", ""},
		{"Az út 5 perc volt.", ""},
		{"In den Wegen 3 und 4", ""},
	} {
		want := test.found
		if want != "" {
			want = "address-in-text " + want
		}
		if got, _, _ := strings.Cut(codesOf(t, test.text), "; "); got != want {
			t.Errorf("%q: got %q, want %q", test.text, got, want)
		}
	}
}

// TestNumbers: numbers of vehicles, of invoices and of telephones.
func TestNumbers(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Moje Audi DW 7K452 (VIN WAUZZZ8K9BA123456) jeździ.", "vehicle-in-text WAUZZZ8K9BA123456"},
		{"VIN 1HGCM82633A004352.", "vehicle-in-text 1HGCM82633A004352"},
		{"Numer 12345678901234567 i ABCDEFGHJKLMNPRST.", ""},
		{"Auto o numerze rejestracyjnym DW 7K452 wróciło.", "vehicle-in-text DW 7K452"},
		{"nr rej. DW 12345", "vehicle-in-text DW 12345"},
		{"Kennzeichen GU 417 AB", "vehicle-in-text GU 417 AB"},
		{"mit dem Kennzeichen G-AB 123", "vehicle-in-text G-AB 123"},
		{"targa AB 123 CD", "vehicle-in-text AB 123 CD"},
		{"plaque d'immatriculation AB-123-CD", "vehicle-in-text AB-123-CD"},
		{"matrícula 1234 BCD", "vehicle-in-text 1234 BCD"},
		{"kenteken 12-AB-34", "vehicle-in-text 12-AB-34"},
		{"my registration is AB12 CDE", "vehicle-in-text AB12 CDE"},
		{"SPZ 1AB 2345", "vehicle-in-text 1AB 2345"},
		{"A plate of 5 cheeses, plates 12, plate A.", ""},
		{"The plate with 3 eggs, registration took 10 minutes.", ""},
		{"Faktura FV/2026/11/034 i 2026/11/007, Zlecenie 2026/11/034.", ""},
		{"Rechnung Nr. 2026 0815 22, Auftrag 5551234567, invoice 2026-10234, order no. 4711 0815 22", ""},
		{"Rechnung 2026-11-00034 und 034/11/2026", ""},
		{"Dzwońcie: 03124/51210 albo 601 234 567", "phone-in-text 03124/51210; phone-in-text 601 234 567"},
		{"W sprawie faktury dzwoń 0601 234 567", "phone-in-text 0601 234 567"},
		{"Rechnung: +49 170 1234567", "phone-in-text +49 170 1234567"},
	} {
		if got := codesOf(t, test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

// TestMails: what is left of a mail.
func TestMails(t *testing.T) {
	const ends, name = "mail-in-text", "name-in-text "
	for _, test := range []struct{ text, want string }{
		{"Oddałem samochód w poniedziałek rano z powodu dziwnych\ndrgań kierownicy i już we wtorek mogłem go odebrać. Okazało\nsię, że to tylko wyważenie kół, a nie zawieszenie, jak\ntwierdził poprzedni mechanik.", ends},
		{"Wir haben im Frühjahr eine neue Küche bestellt und die\nTischlerei hat alles pünktlich geliefert, obwohl es\nviele Sonderwünsche gab und die Wand krumm war, was\nnicht leicht war.", ends},
		{"They came on the same day, found the leak behind the wall.\nthe price was fair, and the kitchen cleaner than before.\nwould come again and recommend them to everybody here.", ""},
		{"They came on the same day and found the leak behind the\nwall in ten minutes.\n\nThe price was fair.", ""},
		{"good\nfast\ncheap\nfriendly", ""},
		{"Opony wymienione.\n\nPozdrawiam\nJerzy Kowalczyk", name + "Jerzy Kowalczyk"},
		{"Opony wymienione. Pozdrawiam, Jerzy Kowalczyk", name + "Jerzy Kowalczyk"},
		{"Super robota. Pozdrawiam Pana Piotra!", ""},
		{"All good.\n\nKind regards\nSusan Miller", name + "Susan Miller"},
		{"All good. Best regards, Susan", name + "Susan"},
		{"All good. Best regards, Ada", ""}, // as the author
		{"Alles gut.\nMit freundlichen Grüßen\n\nHorst Eibinger", name + "Horst Eibinger"},
		{"Alles gut, liebe Grüße aus Graz, Familie Huber", name + "Familie Huber"},
		{"Tout est parfait.\nCordialement,\nJean Dupont", name + "Jean Dupont"},
		{"Tutto bene.\nCordiali saluti\nMario Rossi", name + "Mario Rossi"},
		{"Todo bien.\nSaludos, María García López", name + "María García López"},
		{"Alles goed.\nMet vriendelijke groet,\nJan de Vries", name + "Jan de Vries"},
		{"Allt bra.\nMed vänlig hälsning\nOla Svensson", name + "Ola Svensson"},
		{"Alt bra.\nMed vennlig hilsen\nOla Nordmann", name + "Ola Nordmann"},
		{"Vše v pořádku.\nS pozdravem\nJan Novák", name + "Jan Novák"},
		{"All good.\n\nKind regards\nSusan Miller\n\nSent from my iPhone", name + "Susan Miller; mail-in-text Sent from my iPhone, which a mail program writes below a mail"},
		{"With best regards to the team.", ""},
		{"Firma: Danke für Ihre Bewertung!", "reply-in-text Firma: Danke für Ihre Bewertung, as the reply of a business begins, and it is published as the customer's words"},
		{"They said thank you for your review. Thanks for your help!", ""},
		{"Great TV. LG Electronics", ""},
		{"They sent their regards. The Team was great", ""},
	} {
		got := codesOf(t, test.text)
		if got = strings.ReplaceAll(strings.TrimSpace(got), ", which is published", ""); strings.ReplaceAll(got, `"`, "") != strings.ReplaceAll(test.want, `"`, "") {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

// TestGarbled: letters of an encoding read as those of another one.
func TestGarbled(t *testing.T) {
	for _, text := range []string{
		"Dziêkujê za pomoc, œwietna robota i mi³a obs³uga, na pewno wrócê.", "Wszystko siê zgadza.", "mo¿e byæ, ¿e wrócê", "DziÄ™kujÄ™ za pomoc.",
		"¦wietna robota, dzi±kuj±", "mi³o", "by³o", "pøíjemný", "Dìkuji, skvìlá práce", "elõször", "mulþumesc", "teþekkürler", "odlièno", "MĂ©n ĹĽe", "f³r alle sch÷n", "fŸr",
		"Ñïàñèáî, î÷åíü õîðîøî", "РЎРїР°СЃРёР±Рѕ", "Ð¡Ð¿Ð°Ñ�Ð¸Ð±Ð¾", "Î•Ï…Ï‡Î±Ï", "Ευχα ΞµΟ…Ο‡", "Tr├¿s bien",
	} {
		if got := codesOf(t, text); !strings.HasPrefix(got, "mojibake") {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{
		"Dziękuję za pomoc, 20 m³ i 5 m², ±5 °C.", "¿Qué tal? ¿es bueno? Niño, jalapeño y piñata.", "Crêpes, fête, œuvre, cœur, bœuf, Citroën.", "Você três bebês, não, ações.", "così, lunedì, perché, città.",
		"Við þökkum, það býður íslenska og góð þjónusta.", "Blåbærsyltetøy, æøå ÆØÅ.", "Õhtu, mõne, jõgi, elu.", "teşekkürler, çok güzel, hızlı.", "Olééééé! Öööh, ähäää.", "Спасибо, РСФСР, СССР, Россия.", "ΣΟΣ Ο Ξένος ΞΟ.", "Müller¹ und ¹ siehe, ½ Stunde, 3¾ kg.",
		"Český pěkně, škoda, řemeslo.", "Ț ț Ș ș ă Ă â Î î.", "ĂȚĂ ÄÖÜ äöü…", "McÉtoile und O’Áine",
	} {
		if got := codesOf(t, text); got != "" {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// TestAnswers: the firm's answer in the text of a customer.
func TestAnswers(t *testing.T) {
	for _, text := range []string{
		"Gut.\n\nAntwort der Tischlerei: Das tut uns leid, Peter.", "Good.\nResponse from the owner: thanks", "Ok.\nOdpowiedź właściciela: dzięki", "Bien.\nRéponse du salon : merci", "Bene.\nRisposta dell'hotel: grazie", "Ok.\nOdpowiedź serwisu Auto Kowalski:\ndziękujemy", "Bien.\nRespuesta del taller: gracias", "Goed.\nReactie van Bakkerij Jansen: bedankt",
	} {
		if got := codesOf(t, text); strings.Count(got, "placeholder") != 1 {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{"Antwort: keine.", "Die Antwort der Tischlerei kam sofort.", "Response from them was slow, and the reply of the boss too"} {
		if got := codesOf(t, text); got != "" {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
