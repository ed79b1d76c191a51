import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { RELOADS, reloadPage } from "../reloadPage.ts";
import { Notice } from "./Notice.tsx";

/** A part of a view that is loaded when it is first shown; it renders nothing until then. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props: Props) => {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [isLost, setIsLost] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      let isOver = false;
      let stop = () => {};
      load().then(
        (part) => {
          loaded = part;
          if (!isOver) setPart(() => part);
        },
        () => {
          if (isOver) return;
          setIsLost(true);
          stop = reloadPage();
        },
      );
      return () => {
        isOver = true;
        stop();
      };
    }, []);
    if (isLost) return <Notice kind="failure">{RELOADS}</Notice>;
    return Part === undefined ? null : <Part {...props} />;
  };
}
