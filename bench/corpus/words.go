package corpus

import "reviewcast"

var technicians = []reviewcast.Technician{
	{ID: "marcus", Name: "Marcus Webb", Aliases: []string{"Marc"}},
	{ID: "elena", Name: "Elena Petrova", Aliases: []string{"Lena"}},
	{ID: "jose", Name: "José Álvarez", Aliases: []string{"Pepe"}},
	{ID: "dana-k", Name: "Dana Kim", Aliases: []string{}},
	{ID: "dana-r", Name: "Dana Ruiz", Aliases: []string{"DR"}},
	{ID: "tobias", Name: "Tobias Groß", Aliases: []string{"Toby"}},
	{ID: "priya", Name: "Priya Nair", Aliases: []string{}},
	{ID: "sam", Name: "Samuel O’Connor", Aliases: []string{"Sam"}},
}

var services = []reviewcast.Named{
	{ID: "drain-cleaning", Name: "Drain Cleaning"},
	{ID: "water-heater", Name: "Water Heater Replacement"},
	{ID: "leak-repair", Name: "Leak Repair"},
	{ID: "boiler-service", Name: "Boiler Service"},
	{ID: "bathroom", Name: "Bathroom Remodel"},
	{ID: "sump-pump", Name: "Sump Pump Installation"},
	{ID: "repiping", Name: "Repiping"},
}

var areas = []reviewcast.Named{
	{ID: "fairhaven", Name: "Fairhaven"}, {ID: "north-bay", Name: "North Bay"}, {ID: "old-town", Name: "Old Town"},
	{ID: "river-bend", Name: "River Bend"}, {ID: "lakeside", Name: "Lakeside"}, {ID: "st-remy", Name: "Saint-Rémy"},
}

var firstNames = []string{
	"Maria", "James", "Aisha", "Chloé", "Daniel", "Ewa", "Fatima", "George", "Hana", "Ivan", "Jürgen", "Kavita",
	"Liam", "Mei", "Noor", "Olivia", "Pádraig", "Quentin", "Rosa", "Søren", "Tara", "Ulla", "Victor", "Wendy", "Zoë",
}

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

var syllables = []string{
	"al", "bar", "cor", "dell", "el", "fen", "gar", "hol", "ing", "jas", "kel", "lor", "mar", "nor", "or", "pel", "quin",
	"ros", "sel", "tam", "ul", "ver", "wick", "xan", "yar", "zel", "brook", "ford", "ham", "ley", "mere", "ton", "worth", "by",
}

var titles = [][]string{
	{"Never again", "Three visits, still leaking", "Avoid"},
	{"Not what I hoped for", "Slow and costly", "Disappointed"},
	{"It works now", "Mixed feelings", "OK in the end"},
	{"Good work", "Solid job on the {service}", "Would use again", "Friendly and capable"},
	{"Fantastic service", "{tech} saved our weekend", "Highly recommend", "Best plumbers in {area}", "Perfect {service} 👍", "Five stars"},
}

var praise = []string{
	"{tech} arrived on time and got straight to work.",
	"They came when they said they would and called ahead.",
	"{tech} explained every step and never tried to sell us anything we did not need.",
	"The price was exactly what was quoted, {price} and not a cent more.",
	"Everything was left cleaner than before.",
	"Our {service} was finished in under {n} hours.",
	"I can’t say enough good things about {tech}.",
	"The office was friendly and found us a slot the same day.",
	"He showed me photos of the old pipe, which I appreciated.",
	"Very professional, polite and tidy.",
	"The water pressure is better than it has ever been.",
	"We have used them for years and they have never let us down.",
	"{tech} noticed a small leak behind the washing machine and fixed it at no extra charge.",
	"Fair price, honest advice, great work.",
	"She wore shoe covers and vacuumed afterwards!",
	"The whole crew was a pleasure to have in the house.",
	"Two other companies wanted to replace the whole thing; {tech} repaired it with one part.",
	"Quick reply, quick visit, no mess.",
	"I would recommend them to anyone in {area}.",
	"The technician even came back the next day to check on the {service}.",
	"Our dog Ünal loved him, and he is usually shy with strangers 🐕.",
	"The hot water came back within the hour.",
	"They matched the old tiles so well that you can’t see the repair.",
	"Great communication from start to finish.",
	"They took the old unit away and registered the warranty for us.",
	"It has been {n} weeks now and there is not a drop on the floor.",
	"No upselling at all, which is rare these days.",
}

var mixed = []string{
	"The work itself is fine, but the visit was moved twice.",
	"{tech} was polite; the office was hard to reach.",
	"They were not on time, though they did call to say so.",
	"The repair holds so far, the invoice was {price} more than expected.",
	"Good advice, slow delivery of the part.",
	"It took {n} days to get a quote for a {service}.",
	"I would use them again for small jobs only.",
	"The technician knew his trade, the helper did not.",
	"Half of the cleaning was left to us.",
	"In the end it works, and that is what counts.",
}

var blame = []string{
	"Nobody came on {day}, and nobody called.",
	"The leak was back after {n} days.",
	"We paid {price} for a visit that solved nothing.",
	"The final bill was far higher than the quote.",
	"{tech} was rude when we asked about the warranty.",
	"They left dirt all over the hallway.",
	"Not one of three visits was on time.",
	"I had to explain the problem to four different people.",
	"The part they fitted was the wrong size.",
	"They tried to sell us a new boiler when a valve was broken.",
	"The technician was two hours late and in a hurry to leave.",
	"Still waiting for the refund that was promised.",
	"The new joint drips worse than the old one.",
}

var facts = []string{
	"We live on {street} in an old house with galvanized pipes.",
	"This was for a {service} at my mother’s place in {area}.",
	"The part number was {part}, if that helps anyone.",
	"We called on {day} morning with no hot water at all.",
	"Our basement had {n} inches of water after the storm.",
	"The building is from 1924 and nothing is standard.",
	"A neighbour from {street} had told us about them.",
	"We had three quotes, from {price} upwards.",
	"I work from home, so noise mattered to me.",
	"It was our second {service} this year.",
	"The café downstairs had complained about the smell.",
	"The old heater was a model {part} from 2009.",
	"There is hardly any room to stand in that crawl space.",
	"Parking near {street} is difficult.",
}

var replies = []string{
	"Thank you for the kind words! We will pass them on to {tech}.",
	"Thank you for taking the time. See you at the next service.",
	"We are sorry about this visit. Please call the office and ask for the manager, so that we can put it right.",
	"Thank you, we are glad that the {service} works well.",
}
