import {
  type Abi,
  type Address,
  type ContractFunctionName,
  concat,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbiParameters,
} from "viem";
import type { Transaction } from "../node/transactions.ts";

/** What an account with no history sends to make contracts, written down in its order. */
export interface Deployment {
  readonly deployer: Address;
  readonly transactions: ReadonlyArray<Transaction>;
  /** Gives where the contract will be: a CREATE's address follows from its sender's nonce. */
  readonly create: (code: Hex, types?: string, values?: ReadonlyArray<unknown>) => Address;
  readonly call: <const abi extends Abi, name extends ContractFunctionName<abi>>(
    to: Address,
    call: EncodeFunctionDataParameters<abi, name>,
  ) => void;
}

export function makeDeployment(deployer: Address): Deployment {
  const transactions: Array<Transaction> = [];
  return {
    deployer,
    transactions,
    create: (code, types = "", values = []) => {
      const nonce = BigInt(transactions.length);
      transactions.push({ data: deployData(code, types, values) });
      return getContractAddress({ from: deployer, nonce }).toLowerCase() as Address;
    },
    call: (to, call) => {
      transactions.push({ to, data: encodeFunctionData(call as never) });
    },
  };
}

/** A contract's creation code, with what its constructor takes. */
export const deployData = (code: Hex, types: string, values: ReadonlyArray<unknown>): Hex =>
  types === ""
    ? code
    : concat([code, encodeAbiParameters(parseAbiParameters(types), values as never)]);
