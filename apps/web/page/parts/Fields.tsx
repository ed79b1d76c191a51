import type { ComponentChildren } from "preact";

/** A list of facts with their names. */
export function Fields({
  fields,
}: {
  readonly fields: ReadonlyArray<readonly [name: string, value: ComponentChildren]>;
}) {
  return (
    <dl class="fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
