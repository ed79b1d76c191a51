export {
  deployFamilies,
  type FamilyContracts,
  placeFamilyCode,
} from "../contracts/FamilyContracts.ts";
export * from "../contracts/familyAbis.ts";
export * from "./FamilyPool.ts";
export { FamilyPools } from "./FamilyPools.ts";
