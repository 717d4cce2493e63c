module reviewcast

go 1.26
