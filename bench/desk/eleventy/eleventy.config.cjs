const yaml = require("js-yaml");
// Dates stay the words that they are.
module.exports = (config) => {
	config.addDataExtension("yaml", (text) => yaml.load(text, { schema: yaml.JSON_SCHEMA }));
	return { dir: { input: "src", output: "public" } };
};
