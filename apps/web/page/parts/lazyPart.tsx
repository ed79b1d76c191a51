import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A part of a view that is loaded when it is first shown, and nothing until then. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props: Props) => {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (loaded !== undefined) return;
      let isOver = false;
      load().then(
        (part) => {
          loaded = part;
          if (!isOver) setPart(() => part);
        },
        () => {},
      );
      return () => {
        isOver = true;
      };
    }, []);
    return Part === undefined ? null : <Part {...props} />;
  };
}
