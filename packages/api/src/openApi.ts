import { OpenApi } from "effect/http-api";
import { Api } from "./api.ts";
import { withPlainNumbers } from "./plainNumbers.ts";

type Spec = OpenApi.OpenAPISpec;

/**
 * The OpenAPI 3.1 document of the interface. Making it takes tens of milliseconds: make it once.
 */
export function openApiDocument(): Spec {
  const spec = withPlainNumbers(OpenApi.fromApi(Api));
  for (const item of Object.values(spec.paths)) {
    for (const operation of [item.get, item.post]) {
      for (const parameter of operation?.parameters ?? []) {
        parameter.schema = asNumber(parameter.schema);
      }
    }
  }
  return spec;
}

/** Its JSON text. */
export const openApiText = (): string => JSON.stringify(openApiDocument());

/** The decoder sees query numbers as text; readers of the document should see numbers. */
function asNumber(schema: object): object {
  const [detail] = (schema as { readonly allOf?: ReadonlyArray<Numeric> }).allOf ?? [];
  if (detail?.format !== "integer" && detail?.format !== "number") return schema;
  return { type: detail.format, description: detail.description };
}

interface Numeric {
  readonly format?: string;
  readonly description?: string;
}
