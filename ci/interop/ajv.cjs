// Asks ajv: reads [{schema, values}] from the file that is named, and prints for each schema what it
// says of each value, or of the schema itself if there are none: true, false, or null where it throws.
// The packages are those of build/interop.
const path = require("path");
const fs = require("fs");

const packages = path.join(__dirname, "../../build/interop/node_modules");
const options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };
const make = (name) => {
  const Ajv = require(path.join(packages, name));
  return new (Ajv.default || Ajv)(options);
};
const newest = make("ajv/dist/2020");
const draft07 = make("ajv");

const ask = (question) => {
  try {
    return question();
  } catch {
    return null;
  }
};

const verdicts = JSON.parse(fs.readFileSync(process.argv[2], "utf8")).map(({ schema, values }) => {
  const ajv = schema.$schema ? draft07 : newest;
  if (!values) return ajv.validateSchema(schema);
  const validate = ajv.compile(schema);
  return values.map((value) => ask(() => validate(value)));
});
process.stdout.write(JSON.stringify(verdicts));
