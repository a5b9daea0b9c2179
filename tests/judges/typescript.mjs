// What the official TypeScript SDK makes of JSON values: a line in, a line out.
//
// In: ["ToolCallUpdate", {...}], a definition of the schema and a value for it.
// Out: [...] with what it is parsed as, [] where it is refused, null where it has no such definition.
//
// ACP_TYPESCRIPT_SDK names the folder of @agentclientprotocol/sdk.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const sdk = pathToFileURL(`${process.env.ACP_TYPESCRIPT_SDK}/`);
const schemas = await import(new URL("dist/v1/unstable/schema/zod.gen.js", sdk));

function judge(name, value) {
  const schema = schemas[`z${name}`];
  if (schema === undefined) return null;
  const parsed = schema.safeParse(value);
  return parsed.success ? [parsed.data] : [];
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(judge(...JSON.parse(line))));
}
