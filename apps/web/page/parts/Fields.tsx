import type { ComponentChildren } from "preact";

/** Facts of one thing, each with its name. */
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
