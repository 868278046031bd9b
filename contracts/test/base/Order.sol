// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";

/// @notice All arguments of a payment but the signature, with one approver.
struct Order {
    bytes32 paymentId;
    address recipient;
    uint256 amount;
    uint64 version;
    bytes32 reportHash;
    bytes32 expenseVersionHash;
    uint64 deadline;
    bytes32 approvalId;
    address approver;
}

/// @notice What the digest takes from elsewhere than the order.
struct Domain {
    uint256 chainId;
    address vault;
    address token;
    bytes32 organizationHash;
}

/// @notice Calls and digests of orders, written a second time and without the vault's own code.
library Orders {
    /// @dev With the order's approver alone.
    function approvedCall(Order memory order, bytes memory signature)
        internal
        pure
        returns (bytes memory)
    {
        IVaultRecords.Approval[] memory approvals = new IVaultRecords.Approval[](1);
        approvals[0] =
            IVaultRecords.Approval(order.approvalId, order.approver, signature);
        return approvedCall(order, approvals);
    }

    function approvedCall(Order memory order, IVaultRecords.Approval[] memory approvals)
        internal
        pure
        returns (bytes memory)
    {
        return encodedCall(order, abi.encode(approvals));
    }

    /// @dev With any bytes in the place of the approvals.
    function encodedCall(Order memory order, bytes memory approvals)
        internal
        pure
        returns (bytes memory)
    {
        return bytes.concat(
            ICountersignVault.executeApproved.selector,
            abi.encode(
                order.paymentId,
                order.recipient,
                order.amount,
                order.version,
                order.reportHash,
                order.expenseVersionHash,
                order.deadline,
                approvals
            )
        );
    }

    function automaticCall(Order memory order) internal pure returns (bytes memory) {
        return abi.encodeCall(
            ICountersignVault.executeAutomatic,
            (
                order.paymentId,
                order.recipient,
                order.amount,
                order.version,
                order.reportHash,
                order.expenseVersionHash,
                order.deadline
            )
        );
    }

    /// @dev EIP-712 by hand, from the published text of the message.
    function digest(Order memory order, Domain memory domain) internal pure returns (bytes32) {
        bytes memory first = abi.encode(
            keccak256(
                "PaymentApproval(bytes32 approvalId,address approver,bytes32 organizationHash,"
                "bytes32 paymentId,address token,address recipient,uint256 amount,"
                "uint64 policyVersion,bytes32 reportHash,bytes32 expenseVersionHash,"
                "uint64 deadline)"
            ),
            order.approvalId,
            order.approver,
            domain.organizationHash,
            order.paymentId,
            domain.token
        );
        bytes memory second = abi.encode(
            order.recipient,
            order.amount,
            order.version,
            order.reportHash,
            order.expenseVersionHash,
            order.deadline
        );
        return keccak256(
            bytes.concat(
                hex"1901", separator(domain), keccak256(bytes.concat(first, second))
            )
        );
    }

    function separator(Domain memory domain) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,"
                    "address verifyingContract)"
                ),
                keccak256("CountersignVault"),
                keccak256("1"),
                domain.chainId,
                domain.vault
            )
        );
    }
}
