// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice What a payment carries in either mode.
struct Payment {
    /// @dev Executes once for ever.
    bytes32 paymentId;
    /// @dev Who is paid.
    address recipient;
    /// @dev How much, in token base units.
    uint256 amount;
    /// @dev Under which policy.
    uint64 policyVersion;
    /// @dev Hash of the analysis report.
    bytes32 reportHash;
    /// @dev Hash of the expense's revision.
    bytes32 expenseVersionHash;
    /// @dev Last moment of the payment (inclusive, unix seconds).
    uint64 deadline;
}

/// @title What an approver signs
/// @notice The EIP-712 message `PaymentApproval`: one payment, one approver, one vault's token.
library PaymentApproval {
    /// @notice Type hash of the message; its eleven fields in the order in which they are hashed.
    bytes32 internal constant TYPEHASH = keccak256(
        "PaymentApproval(bytes32 approvalId,address approver,bytes32 organizationHash,"
        "bytes32 paymentId,address token,address recipient,uint256 amount,uint64 policyVersion,"
        "bytes32 reportHash,bytes32 expenseVersionHash,uint64 deadline)"
    );

    /// @notice The message's struct hash, to be joined with the vault's domain.
    /// @param payment What is to be paid.
    /// @param approvalId Makes the digest of every preparation its own.
    /// @param approver Who signs.
    /// @param organizationHash The vault's organization.
    /// @param token The vault's token.
    /// @return Hash of the type and all eleven fields.
    function structHash(
        Payment memory payment,
        bytes32 approvalId,
        address approver,
        bytes32 organizationHash,
        address token
    ) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                TYPEHASH,
                approvalId,
                approver,
                organizationHash,
                payment.paymentId,
                token,
                payment.recipient,
                payment.amount,
                payment.policyVersion,
                payment.reportHash,
                payment.expenseVersionHash,
                payment.deadline
            )
        );
    }
}
