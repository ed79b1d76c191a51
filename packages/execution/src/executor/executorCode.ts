import type { Address } from "@millrace/core";
import type { Hex } from "viem";
import { concat, encodeAbiParameters, getCreate2Address, pad, slice } from "viem/utils";
import compiled from "../compiled/Executor.json" with { type: "json" };

/** The creation code of a network's executor: compiled code and constructor argument. */
export function executorCreationCode(wrappedNative: Address): Hex {
  const parameters = encodeAbiParameters([{ type: "address" }], [wrappedNative]);
  return concat([compiled.bytecode as Hex, parameters]);
}

/** Whether a contract's code (as `eth_getCode` gives it) is our executor's for this network. */
export function isExecutorCode(deployedCode: Hex, wrappedNative: Address): boolean {
  return deployedCode.toLowerCase() === executorCode(wrappedNative);
}

/** The code of a deployed executor: the compiled code with its immutable filled in. */
export function executorCode(wrappedNative: Address): Hex {
  const value = pad(wrappedNative).toLowerCase() as Hex;
  return compiled.immutableReferences.wrappedNative.reduce<Hex>(
    (code, start) => concat([slice(code, 0, start), value, slice(code, start + 32)]),
    compiled.deployedBytecode as Hex,
  );
}

/** An unsigned transaction that deploys a contract, and the contract's address. */
export interface ExecutorDeployment {
  readonly to: Address;
  readonly data: Hex;
  readonly address: Address;
}

/**
 * Deploys through the factory that has the same address on nearly every chain
 * (https://github.com/Arachnid/deterministic-deployment-proxy). Whoever sends the transaction, the
 * executor's address follows from its code and the wrapped native token alone. The factory takes
 * the salt, then the code.
 */
export function executorDeployment(wrappedNative: Address): ExecutorDeployment {
  const bytecode = executorCreationCode(wrappedNative);
  const address = getCreate2Address({ from: CREATE2_FACTORY, salt: SALT, bytecode });
  return {
    to: CREATE2_FACTORY,
    data: concat([SALT, bytecode]),
    address: address.toLowerCase() as Address,
  };
}

const CREATE2_FACTORY = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const SALT: Hex = `0x${"00".repeat(32)}`;
