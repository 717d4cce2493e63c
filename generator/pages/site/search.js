document.querySelectorAll("#_search");
